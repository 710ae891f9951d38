package io.github.redisstreams.benchmarks.harness;

import java.io.IOException;
import java.util.stream.Stream;

import tools.jackson.databind.json.JsonMapper;

/**
 * A JVM of its own for one contestant, so that neither its code is compiled for others
 * nor its usage mixed with theirs. It does one job after another, as {@link JobLoop} has
 * it.
 *
 * @param <J> the type of the jobs
 * @param <R> the type of the results
 */
public class JobProcess<J, R> implements AutoCloseable {

	private final ChildJvm jvm;

	private final Class<R> resultType;

	/**
	 * Start the JVM.
	 * @param main its main class, which runs a {@link JobLoop}
	 * @param contestant the contestant's name, for the main class
	 * @param resultType the type of the results
	 * @param options for the JVM, which come after those that all have
	 */
	protected JobProcess(Class<?> main, String contestant, Class<R> resultType, String... options) throws IOException {
		this.jvm = ChildJvm.start(Stream.of(options(), options).flatMap(Stream::of).toList(), main, contestant);
		this.resultType = resultType;
	}

	// The same for all; enough memory for the collector to tell little
	private static String[] options() {
		String more = System.getProperty("benchmark.options", "");
		return (more.isEmpty() ? "-Xms256m -Xmx256m" : "-Xms256m -Xmx256m " + more).split(" ");
	}

	/**
	 * Have it prepare for a job, and wait until it is ready.
	 * @param job what to do
	 */
	public final void prepare(J job) throws IOException {
		this.jvm.send(JsonMapper.shared().writeValueAsString(job));
		expect(JobLoop.READY);
	}

	/**
	 * Have it begin.
	 */
	public final void begin() {
		this.jvm.send("go");
	}

	/**
	 * Wait until it has done the job. It stays as it is until it is told to end.
	 * @return how it went
	 */
	public final R awaitResult() throws IOException {
		return JsonMapper.shared().readValue(this.jvm.receive(), this.resultType);
	}

	/**
	 * Ask what it has used, after its result and before its end.
	 * @return the usage since its JVM was started
	 */
	public final JvmUsage usage() throws IOException {
		this.jvm.send(JobLoop.USAGE);
		return JsonMapper.shared().readValue(this.jvm.receive(), JvmUsage.class);
	}

	/**
	 * Have it end the job, and wait until it has.
	 */
	public final void end() throws IOException {
		this.jvm.send("stop");
		expect(JobLoop.STOPPED);
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
	public final Process process() {
		return this.jvm.process();
	}

	@Override
	public final void close() {
		this.jvm.close();
	}

}
