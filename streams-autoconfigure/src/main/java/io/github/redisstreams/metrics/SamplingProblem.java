package io.github.redisstreams.metrics;

import java.util.List;

import io.github.redisstreams.redis.RedisFault;
import org.jspecify.annotations.Nullable;

/**
 * Why something is not known of a stream.
 *
 * @param kind the same for all streams that have the same problem
 * @param text what to say about it
 */
record SamplingProblem(String kind, String text) {

	static SamplingProblem of(@Nullable Throwable failure) {
		if (failure == null) {
			return new SamplingProblem("", "no reply");
		}
		RedisFault fault = RedisFault.of(failure);
		String text = fault.description() + " - " + RedisFault.explain(failure);
		return switch (fault) {
			case DISCONNECTED, TIMEOUT, UNAVAILABLE -> new SamplingProblem(fault.name(), text);
			default -> new SamplingProblem(text, text);
		};
	}

	static SamplingProblem of(List<String> replies) {
		String text = String.join("; ", replies);
		return new SamplingProblem(text, text);
	}

}
