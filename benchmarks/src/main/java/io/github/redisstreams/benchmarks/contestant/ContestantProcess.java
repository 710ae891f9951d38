package io.github.redisstreams.benchmarks.contestant;

import java.io.IOException;
import java.util.List;

import io.github.redisstreams.benchmarks.harness.ChildJvm;
import tools.jackson.databind.json.JsonMapper;

/**
 * A contestant in a JVM of its own, so that neither its code is compiled for others nor
 * its usage mixed with theirs.
 */
public final class ContestantProcess implements AutoCloseable {

	private final Contestant contestant;

	private final ChildJvm jvm;

	/**
	 * Start the JVM.
	 * @param contestant the contestant
	 */
	public ContestantProcess(Contestant contestant) throws IOException {
		this.contestant = contestant;
		this.jvm = ChildJvm.start(options(), ContestantMain.class, contestant.name());
	}

	// The same for all; enough memory for the collector to tell little
	private static List<String> options() {
		String more = System.getProperty("benchmark.options", "");
		return List.of((more.isEmpty() ? "-Xms256m -Xmx256m" : "-Xms256m -Xmx256m " + more).split(" "));
	}

	/**
	 * Who it is.
	 * @return the contestant
	 */
	public Contestant contestant() {
		return this.contestant;
	}

	/**
	 * Have it prepare for a job, and wait until it is ready.
	 * @param job what to do
	 */
	public void prepare(Job job) throws IOException {
		this.jvm.send(JsonMapper.shared().writeValueAsString(job));
		expect("ready");
	}

	/**
	 * Have it begin.
	 */
	public void begin() {
		this.jvm.send("go");
	}

	/**
	 * Wait until it has handled all. It goes on to wait for more.
	 * @return how it went
	 */
	public Result awaitResult() throws IOException {
		return JsonMapper.shared().readValue(this.jvm.receive(), Result.class);
	}

	/**
	 * Have it end the job, and wait until it has.
	 */
	public void end() throws IOException {
		this.jvm.send("stop");
		expect("stopped");
	}

	private void expect(String line) throws IOException {
		String received = this.jvm.receive();
		if (!received.equals(line)) {
			throw new IOException("Instead of '" + line + "' the process said: " + received);
		}
	}

	/**
	 * The JVM, to ask the operating system about it.
	 * @return the process
	 */
	public Process process() {
		return this.jvm.process();
	}

	@Override
	public void close() {
		this.jvm.close();
	}

}
