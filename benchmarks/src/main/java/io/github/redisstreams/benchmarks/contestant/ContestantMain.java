package io.github.redisstreams.benchmarks.contestant;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

import io.github.redisstreams.benchmarks.harness.JvmUsage;
import tools.jackson.databind.json.JsonMapper;

/**
 * The process of one contestant: takes a job, says that it is ready, is told to go, says
 * how it went, and is told to stop, again and again.
 */
final class ContestantMain {

	private ContestantMain() {
	}

	/**
	 * Run until the input ends.
	 * @param arguments the contestant's name
	 */
	public static void main(String[] arguments) throws IOException, InterruptedException {
		Contestant contestant = Contestant.valueOf(arguments[0]);
		BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
		PrintStream out = System.out;
		// So that no log gets between the lines
		System.setOut(System.err);
		JsonMapper json = JsonMapper.shared();
		String line;
		while ((line = in.readLine()) != null) {
			Job job = json.readValue(line, Job.class);
			Probe probe = new Probe(job);
			int threads = JvmUsage.now().threads();
			try (Consumption consumption = contestant.prepare(job, probe)) {
				out.println("ready");
				in.readLine();
				JvmUsage before = JvmUsage.now();
				long start = System.nanoTime();
				consumption.start();
				double seconds = (probe.awaitDone() - start) / 1e9;
				JvmUsage after = JvmUsage.now();
				JvmUsage used = after.since(before);
				JvmUsage usage = new JvmUsage(used.cpuSeconds(), used.allocatedBytes(), used.gcMillis(),
						after.threads() - threads);
				out.println(json.writeValueAsString(new Result(seconds, usage, probe.latencyMicros(), probe.shares())));
				in.readLine();
			}
			out.println("stopped");
		}
	}

}
