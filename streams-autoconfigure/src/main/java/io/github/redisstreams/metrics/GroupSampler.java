package io.github.redisstreams.metrics;

import java.util.List;
import java.util.Map;
import java.util.Set;

import io.github.redisstreams.redis.SampledStream;
import io.github.redisstreams.redis.StreamCommands;

import org.springframework.dao.DataRetrievalFailureException;

/**
 * Asks Redis how groups are now, as {@link StreamSampler} does in the background, and so
 * with the same figures.
 */
public final class GroupSampler {

	private final StreamCommands commands;

	/**
	 * Create a sampler.
	 * @param commands the port to Redis
	 */
	public GroupSampler(StreamCommands commands) {
		this.commands = commands;
	}

	/**
	 * Ask about some groups of a stream, and wait for the answers: one script, and others
	 * that look at up to 10,000 entries for lags that the server cannot tell.
	 * @param stream the stream's key
	 * @param groups the names of the groups
	 * @return those that there are, by name
	 * @throws org.springframework.dao.DataAccessException if Redis does not tell
	 * @throws InterruptedException if the thread is interrupted while it waits
	 */
	public Map<String, GroupReading> sample(String stream, Set<String> groups) throws InterruptedException {
		SamplingRound round = new SamplingRound(this.commands, LagBudget.ONCE);
		round.ask(List.of(new SampledStream(stream, groups, Set.of())));
		SampledFigures figures = round.figures().get(stream);
		if (figures == null) {
			SamplingProblem problem = round.problems().get(stream);
			throw new DataRetrievalFailureException((problem != null) ? problem.text() : "no reply");
		}
		return figures.groups();
	}

}
