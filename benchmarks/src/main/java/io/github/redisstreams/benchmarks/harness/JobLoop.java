package io.github.redisstreams.benchmarks.harness;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.function.Function;

import tools.jackson.databind.json.JsonMapper;

/**
 * What runs in a {@link JobProcess}: takes a job, says that it is ready, is told to go,
 * says how it went, and what it has used as often as it is asked, and is told to stop,
 * again and again.
 */
public final class JobLoop {

	static final String READY = "ready";

	static final String USAGE = "usage";

	static final String STOPPED = "stopped";

	private static final Duration PATIENCE = Duration.ofSeconds(10);

	private JobLoop() {
	}

	/**
	 * Run until the input ends.
	 * @param <J> the type of the jobs
	 * @param type the type of the jobs
	 * @param prepare makes everything ready for a job
	 */
	public static <J> void run(Class<J> type, Function<J, Prepared> prepare) throws IOException, InterruptedException {
		BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
		PrintStream out = System.out;
		// So that no log gets between the lines
		System.setOut(System.err);
		JsonMapper json = JsonMapper.shared();
		String line;
		while ((line = in.readLine()) != null) {
			try (Prepared prepared = prepare.apply(json.readValue(line, type))) {
				awaitCompiler();
				out.println(READY);
				in.readLine();
				out.println(json.writeValueAsString(prepared.run()));
				while (USAGE.equals(in.readLine())) {
					out.println(json.writeValueAsString(JvmUsage.now()));
				}
			}
			out.println(STOPPED);
		}
	}

	// What the preparations have set it to do would compete with what is measured
	private static void awaitCompiler() throws InterruptedException {
		CompilationMXBean compiler = ManagementFactory.getCompilationMXBean();
		long deadline = System.nanoTime() + PATIENCE.toNanos();
		long spent = -1;
		while (spent != compiler.getTotalCompilationTime() && System.nanoTime() - deadline < 0) {
			spent = compiler.getTotalCompilationTime();
			Thread.sleep(200);
		}
	}

	/**
	 * A job that can begin.
	 */
	public interface Prepared extends AutoCloseable {

		/**
		 * Do it.
		 * @return how it went
		 */
		Object run() throws InterruptedException;

		/**
		 * Let go of what it took.
		 */
		@Override
		void close();

	}

}
