package io.github.redisstreams.benchmarks.contestant;

import java.io.IOException;

import io.github.redisstreams.benchmarks.harness.RedisProcess;

/**
 * Has contestants do jobs, and measures what the server does meanwhile.
 */
public final class Trial {

	private final RedisProcess redis;

	/**
	 * Create a new trial.
	 * @param redis where, with nobody else on it
	 */
	public Trial(RedisProcess redis) {
		this.redis = redis;
	}

	/**
	 * Have a backlog drained that is there from the start.
	 * @param process by whom
	 * @param job what to do
	 * @return how it went
	 */
	public Measurement drain(ContestantProcess process, Job job) throws IOException, InterruptedException {
		Backlog backlog = new Backlog(this.redis, job);
		backlog.fill(job.entries(), process.contestant().field());
		int connections = this.redis.connectionCount();
		process.prepare(job);
		double cpu = this.redis.cpuSeconds();
		long commands = this.redis.commandCount();
		process.begin();
		Result result = process.awaitResult();
		backlog.awaitSettled();
		Measurement measurement = new Measurement(job.entries(), result, this.redis.cpuSeconds() - cpu,
				this.redis.commandCount() - commands, this.redis.connectionCount() - connections);
		process.end();
		return measurement;
	}

}
