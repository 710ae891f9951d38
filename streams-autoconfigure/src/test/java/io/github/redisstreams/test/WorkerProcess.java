package io.github.redisstreams.test;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * Another JVM with this one's class path, which can be paused and killed as real
 * instances of an application are.
 */
public final class WorkerProcess implements AutoCloseable {

	private final Process process;

	private final List<String> lines = new ArrayList<>();

	private final Thread reader;

	private boolean ended;

	private WorkerProcess(Process process) {
		this.process = process;
		this.reader = new Thread(this::readLines, "worker-" + process.pid());
		this.reader.setDaemon(true);
		this.reader.start();
		Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
	}

	/**
	 * Start a process.
	 * @param mainClass the class whose {@code main} method to run
	 * @param arguments its arguments
	 */
	public static WorkerProcess start(Class<?> mainClass, String... arguments) {
		List<String> command = new ArrayList<>(
				List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xshare:auto",
						"-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", System.getProperty("java.class.path"),
						mainClass.getName()));
		command.addAll(List.of(arguments));
		try {
			return new WorkerProcess(new ProcessBuilder(command).redirectErrorStream(true).start());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private void readLines() {
		try (BufferedReader output = this.process.inputReader(StandardCharsets.UTF_8)) {
			String line;
			while ((line = output.readLine()) != null) {
				synchronized (this.lines) {
					this.lines.add(line);
					this.lines.notifyAll();
				}
			}
		}
		catch (IOException ex) {
			// The process is gone
		}
		finally {
			synchronized (this.lines) {
				this.ended = true;
				this.lines.notifyAll();
			}
		}
	}

	/**
	 * What the process has written so far.
	 */
	public List<String> lines() {
		synchronized (this.lines) {
			return List.copyOf(this.lines);
		}
	}

	/**
	 * Wait for a line that contains the text.
	 * @return the first such line
	 */
	public String awaitLine(String part, Duration patience) throws InterruptedException {
		return awaitLine((line) -> line.contains(part), patience);
	}

	/**
	 * Wait for a line.
	 * @return the first line that matches
	 * @throws IllegalStateException if it does not come in time, or never will since the
	 * process has ended
	 */
	public String awaitLine(Predicate<String> wanted, Duration patience) throws InterruptedException {
		long deadline = System.nanoTime() + patience.toNanos();
		int seen = 0;
		synchronized (this.lines) {
			while (true) {
				for (; seen < this.lines.size(); seen++) {
					if (wanted.test(this.lines.get(seen))) {
						return this.lines.get(seen);
					}
				}
				long millis = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
				if (this.ended || millis <= 0) {
					throw new IllegalStateException("No such line, but:\n" + String.join("\n", this.lines));
				}
				this.lines.wait(millis);
			}
		}
	}

	public long pid() {
		return this.process.pid();
	}

	public boolean isAlive() {
		return this.process.isAlive();
	}

	/**
	 * Stop all its threads (SIGSTOP), as a long garbage collection or a suspended machine
	 * does.
	 */
	public void pause() {
		Signals.stop(pid());
	}

	/**
	 * Let it go on (SIGCONT).
	 */
	public void resume() {
		Signals.resume(pid());
	}

	/**
	 * Ask it to end (SIGTERM), and wait until it has, and has written its last line.
	 * @return its exit status
	 */
	public int stop(Duration patience) throws InterruptedException {
		// Process.destroy() would close its output
		this.process.toHandle().destroy();
		if (!this.process.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS)) {
			throw new IllegalStateException("Still alive after " + patience + ":\n" + String.join("\n", lines()));
		}
		this.reader.join();
		return this.process.exitValue();
	}

	/**
	 * Kill it (SIGKILL).
	 */
	public void kill() {
		try {
			this.process.destroyForcibly().waitFor();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	@Override
	public void close() {
		kill();
	}

}
