package io.github.redisstreams.redis;

import java.io.IOException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisException;

import org.springframework.core.NestedExceptionUtils;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.data.redis.RedisConnectionFailureException;

/**
 * What a failed command tells about Redis. The same fault is recognised thrown directly,
 * as a cause, and inside a {@code CompletionException}. Server errors are told by the
 * first words of their text, the only part that servers keep stable.
 */
public enum RedisFault {

	/**
	 * The group, or the stream with it, does not exist (any more).
	 */
	GROUP_MISSING("The consumer group is gone"),

	/**
	 * The key holds something else than a stream. Waiting does not mend it.
	 */
	WRONG_TYPE("The key is not a stream"),

	/**
	 * The user lacks the permission for the command or the key.
	 */
	NO_PERMISSION("Redis refuses the command to this user"),

	/**
	 * The server is there but cannot serve now: {@code LOADING}, {@code READONLY},
	 * {@code MISCONF}, {@code OOM}, {@code NOREPLICAS}, {@code CLUSTERDOWN},
	 * {@code BUSY}, {@code UNBLOCKED} and the like.
	 */
	UNAVAILABLE("Redis cannot serve now"),

	/**
	 * No connection, or the connection was lost.
	 */
	DISCONNECTED("No connection to Redis"),

	/**
	 * No reply in time.
	 */
	TIMEOUT("Redis did not reply in time"),

	/**
	 * Anything else.
	 */
	OTHER("Unexpected failure");

	private static final int DEEPEST_CAUSE = 20;

	/** What servers say of a command within a script: before Redis 7.2, and since. */
	private static final Pattern SCRIPT_WITHOUT_PERMISSION = Pattern
		.compile("The user executing the script can't|^ERR ACL failure in script");

	private static final Pattern SCRIPT_ERROR = Pattern
		.compile("ERR Error running script.*@user_script: ?\\d+: -?([A-Z]+ .*)", Pattern.DOTALL);

	private final String description;

	RedisFault(String description) {
		this.description = description;
	}

	/**
	 * The fault that a failure stands for.
	 * @param failure what a command failed with
	 * @return the fault, {@link #OTHER} if it is none of Redis
	 */
	public static RedisFault of(Throwable failure) {
		RedisFault found = OTHER;
		Throwable current = failure;
		for (int depth = 0; current != null && depth < DEEPEST_CAUSE; depth++) {
			// What the server says tells more than what it led to: a refused log-in, say,
			// is reported as a connection that cannot be made
			if (current instanceof RedisCommandExecutionException) {
				return ofServerError(String.valueOf(current.getMessage()));
			}
			if (found == OTHER) {
				found = ofClientFailure(current);
			}
			current = current.getCause();
		}
		return found;
	}

	private static RedisFault ofClientFailure(Throwable failure) {
		if (failure instanceof RedisCommandTimeoutException || failure instanceof QueryTimeoutException
				|| failure instanceof TimeoutException) {
			return TIMEOUT;
		}
		if (failure instanceof RedisConnectionException || failure instanceof RedisConnectionFailureException
				|| failure instanceof IOException
				|| (failure instanceof RedisException && failure.getCause() == null)) {
			return DISCONNECTED;
		}
		return OTHER;
	}

	private static RedisFault ofServerError(String message) {
		String text = withoutScript(message);
		if (text.startsWith("NOGROUP") || text.startsWith("UNBLOCKED the stream key no longer exists")) {
			return GROUP_MISSING;
		}
		if (text.startsWith("WRONGTYPE")) {
			return WRONG_TYPE;
		}
		if (SCRIPT_WITHOUT_PERMISSION.matcher(text).find() || text.startsWith("NOPERM") || text.startsWith("NOAUTH")
				|| text.startsWith("WRONGPASS")) {
			return NO_PERMISSION;
		}
		// Keys that are in different slots of a cluster stay there
		return (text.startsWith("ERR") || text.startsWith("CROSSSLOT")) ? OTHER : UNAVAILABLE;
	}

	// Before Redis 7.0 an error within a script stands at the end of one about the script
	private static String withoutScript(String message) {
		Matcher matcher = SCRIPT_ERROR.matcher(message);
		return matcher.matches() ? matcher.group(1) : message;
	}

	/**
	 * What a failure says, with what lies behind it where that says more: for a lost
	 * connection, say, the address and the reason.
	 * @param failure what a command failed with
	 * @return the messages of the failure and of its most specific cause
	 */
	public static String explain(Throwable failure) {
		if ((failure instanceof CompletionException || failure instanceof ExecutionException)
				&& failure.getCause() != null) {
			return explain(failure.getCause());
		}
		String message = (failure.getMessage() != null) ? failure.getMessage() : failure.getClass().getSimpleName();
		String reason = NestedExceptionUtils.getMostSpecificCause(failure).getMessage();
		return (reason == null || message.contains(reason)) ? message : message + " (" + reason + ")";
	}

	/**
	 * The fault in words, as logs and health show it.
	 * @return a short sentence without a full stop
	 */
	public String description() {
		return this.description;
	}

}
