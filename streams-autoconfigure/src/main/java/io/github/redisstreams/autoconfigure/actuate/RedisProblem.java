package io.github.redisstreams.autoconfigure.actuate;

import io.github.redisstreams.redis.RedisFault;

/**
 * What a failed command tells to whoever has asked for it.
 *
 * @param description what is wrong, in words
 * @param unavailable whether Redis does not serve at all, so that it is of no use to ask
 * for anything else
 */
record RedisProblem(String description, boolean unavailable) {

	static RedisProblem of(Throwable failure) {
		RedisFault fault = RedisFault.of(failure);
		String explanation = RedisFault.explain(failure);
		return switch (fault) {
			case UNAVAILABLE, DISCONNECTED, TIMEOUT -> new RedisProblem(fault.description() + ": " + explanation, true);
			case GROUP_MISSING, WRONG_TYPE, NO_PERMISSION ->
				new RedisProblem(fault.description() + ": " + explanation, false);
			case OTHER -> new RedisProblem(explanation, false);
		};
	}

}
