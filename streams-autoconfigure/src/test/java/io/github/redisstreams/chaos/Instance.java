package io.github.redisstreams.chaos;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;

import io.github.redisstreams.test.TcpProxy;
import io.github.redisstreams.test.WorkerProcess;

/**
 * A place in the deployment where one process at a time runs, with a network of its own
 * towards Redis.
 */
final class Instance implements AutoCloseable {

	private static final Duration PATIENCE = Duration.ofSeconds(90);

	private static final Duration STOP_PATIENCE = Duration.ofSeconds(30);

	private static final int LINES = 30;

	private final int index;

	private final Workload workload;

	private final Path ledger;

	private final TcpProxy network;

	private final AtomicBoolean processBusy = new AtomicBoolean();

	private final AtomicBoolean networkBusy = new AtomicBoolean();

	private final List<WorkerProcess> processes = new ArrayList<>();

	private String consumer;

	private int names;

	private boolean closed;

	Instance(int index, Workload workload, Path ledger, int port) {
		this.index = index;
		this.workload = workload;
		this.ledger = ledger;
		this.network = new TcpProxy(port);
		rename();
	}

	/**
	 * Which instance a process of the ledger was.
	 */
	static int indexOf(String process) {
		return Integer.parseInt(process.substring(1, process.indexOf('-')));
	}

	int index() {
		return this.index;
	}

	TcpProxy network() {
		return this.network;
	}

	/**
	 * To be set by who does something to the process, or to the network.
	 */
	AtomicBoolean busy(Fault.Target target) {
		return (target == Fault.Target.NETWORK) ? this.networkBusy : this.processBusy;
	}

	/**
	 * Have the next process run under another consumer name.
	 */
	synchronized void rename() {
		this.consumer = "w" + this.index + "-" + this.names++;
	}

	synchronized void start() {
		if (!this.closed) {
			this.processes.add(WorkerProcess.start(ChaosWorker.class,
					ChaosWorker.arguments(this.workload, this.ledger, this.consumer, this.network.port())));
		}
	}

	/**
	 * Wait until the process reads.
	 * @throws IllegalStateException if it does not
	 */
	void awaitReading() throws InterruptedException {
		try {
			process().awaitLine("reads stream", PATIENCE);
		}
		catch (IllegalStateException ex) {
			throw new IllegalStateException("Process " + process().pid() + " of instance " + this.index
					+ " does not read, but\n" + String.join("\n", lastLog()) + "\n" + threads(), ex);
		}
	}

	synchronized WorkerProcess process() {
		return this.processes.get(this.processes.size() - 1);
	}

	/**
	 * What all its processes have logged about something.
	 */
	synchronized List<String> log(String part) {
		return this.processes.stream()
			.flatMap((process) -> process.lines().stream())
			.filter((line) -> line.contains(part))
			.toList();
	}

	/**
	 * Ask the process to end, and kill it if it does not.
	 * @return what is wrong, if it had ended before or had to be killed
	 */
	Optional<String> stop() throws InterruptedException {
		WorkerProcess process = process();
		if (!process.isAlive()) {
			return Optional.of("Process " + process.pid() + " of instance " + this.index + " has ended by itself:\n"
					+ String.join("\n", lastLog()));
		}
		try {
			process.stop(STOP_PATIENCE);
			return Optional.empty();
		}
		catch (IllegalStateException ex) {
			String threads = threads();
			process.kill();
			return Optional
				.of("Process " + process.pid() + " of instance " + this.index + " does not end:\n" + threads);
		}
	}

	/**
	 * What the threads of the process that have to do with Redis are doing.
	 */
	String threads() throws InterruptedException {
		WorkerProcess process = process();
		try {
			new ProcessBuilder("sh", "-c", "kill -QUIT " + process.pid()).start().waitFor();
			process.awaitLine("JNI global refs", STOP_PATIENCE);
		}
		catch (IOException | IllegalStateException ex) {
			return "unknown: " + ex.getClass().getSimpleName();
		}
		String dump = String.join("\n", process.lines());
		return Arrays.stream(dump.substring(dump.lastIndexOf("Full thread dump")).split("\n\n"))
			.filter((stack) -> stack.contains("redisstreams") || stack.contains("io.lettuce"))
			.collect(Collectors.joining("\n\n"));
	}

	/**
	 * The last that was logged about the state of the instance rather than about one
	 * entry.
	 */
	synchronized List<String> lastLog() {
		List<String> lines = this.processes.stream()
			.flatMap((process) -> process.lines().stream())
			.filter((line) -> line.contains("redisstreams") || line.contains("i.g.r."))
			.filter((line) -> !line.contains(" entry "))
			.toList();
		return lines.subList(Math.max(0, lines.size() - LINES), lines.size());
	}

	@Override
	public void close() {
		List<WorkerProcess> started;
		synchronized (this) {
			this.closed = true;
			started = List.copyOf(this.processes);
		}
		started.forEach(WorkerProcess::close);
		this.network.close();
	}

}
