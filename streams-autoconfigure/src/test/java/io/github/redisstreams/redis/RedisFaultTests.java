package io.github.redisstreams.redis;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

import io.lettuce.core.RedisBusyException;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisLoadingException;
import io.lettuce.core.RedisReadOnlyException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.dao.QueryTimeoutException;
import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.RedisSystemException;

import static org.assertj.core.api.Assertions.assertThat;

class RedisFaultTests {

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					GROUP_MISSING | NOGROUP No such key 's' or consumer group 'g' in XREADGROUP with GROUP option
					GROUP_MISSING | NOGROUP No such key 's' or consumer group 'g'
					GROUP_MISSING | NOGROUP the consumer group this client was blocked on no longer exists
					GROUP_MISSING | UNBLOCKED the stream key no longer exists
					UNAVAILABLE   | UNBLOCKED client unblocked via CLIENT UNBLOCK
					UNAVAILABLE   | UNBLOCKED force unblock from blocking operation, instance state changed (master -> replica?)
					WRONG_TYPE    | WRONGTYPE Operation against a key holding the wrong kind of value
					WRONG_TYPE    | WRONGTYPE Operation against a key holding the wrong kind of value script: 1f2e, on @user_script:1.
					NO_PERMISSION | NOPERM this user has no permissions to run the 'xreadgroup' command
					NO_PERMISSION | NOPERM No permissions to access a key
					NO_PERMISSION | ERR The user executing the script can't run this command or subcommand script: f00, on @user_script:9.
					NO_PERMISSION | ERR ACL failure in script: User app has no permissions to run the 'xadd' command script: f00, on @user_script:9.
					NO_PERMISSION | ERR ACL failure in script: No permissions to access a key script: on @user_script:9.
					NO_PERMISSION | NOAUTH Authentication required.
					NO_PERMISSION | WRONGPASS invalid username-password pair or user is disabled.
					OTHER         | CROSSSLOT Keys in request don't hash to the same slot
					UNAVAILABLE   | LOADING Redis is loading the dataset in memory
					UNAVAILABLE   | READONLY You can't write against a read only replica.
					UNAVAILABLE   | MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk.
					UNAVAILABLE   | OOM command not allowed when used memory > 'maxmemory'.
					UNAVAILABLE   | NOREPLICAS Not enough good replicas to write.
					UNAVAILABLE   | CLUSTERDOWN The cluster is down
					UNAVAILABLE   | MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.
					UNAVAILABLE   | BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.
					UNAVAILABLE   | TRYAGAIN Multiple keys request during rehashing of slot
					OTHER         | ERR unknown command 'XREADGROUP'
					OTHER         | ERR syntax error
					""")
	@DisplayName("C07 the same fault direct, as a cause and in a CompletionException is classified alike")
	void isToldByTheFirstWordsOfAServerError(RedisFault fault, String text) {
		RedisCommandExecutionException error = new RedisCommandExecutionException(text);
		assertThat(RedisFault.of(error)).isEqualTo(fault);
		assertThat(RedisFault.of(new RedisSystemException("Error in execution", error))).isEqualTo(fault);
		assertThat(RedisFault.of(new CompletionException(new RedisSystemException("Error in execution", error))))
			.isEqualTo(fault);
		assertThat(RedisFault.of(new ExecutionException(error))).isEqualTo(fault);
	}

	@Test
	void isToldByTheKindsOfServerErrorThatLettuceHasClassesFor() {
		assertThat(RedisFault.of(new RedisLoadingException("LOADING Redis is loading the dataset in memory")))
			.isEqualTo(RedisFault.UNAVAILABLE);
		assertThat(RedisFault.of(new RedisReadOnlyException("READONLY You can't write against a read only replica.")))
			.isEqualTo(RedisFault.UNAVAILABLE);
		assertThat(RedisFault.of(new RedisBusyException("BUSY Redis is busy running a script.")))
			.isEqualTo(RedisFault.UNAVAILABLE);
	}

	static Stream<Throwable> lostConnections() {
		return Stream.of(new RedisConnectionException("Unable to connect to 127.0.0.1:6379"),
				new RedisException("Connection disconnected"), new RedisException("Connection closed"),
				new RedisConnectionFailureException("Redis connection failed"));
	}

	@ParameterizedTest
	@MethodSource("lostConnections")
	void isALostConnectionHoweverThatIsToldAndWrapped(Throwable failure) {
		assertThat(RedisFault.of(failure)).isEqualTo(RedisFault.DISCONNECTED);
		assertThat(RedisFault.of(new RedisSystemException("x", failure))).isEqualTo(RedisFault.DISCONNECTED);
		assertThat(RedisFault.of(new CompletionException(failure))).isEqualTo(RedisFault.DISCONNECTED);
	}

	@Test
	void isALostConnectionAlsoIfItWasReset() {
		IOException reset = new IOException("Connection reset by peer");
		assertThat(RedisFault.of(reset)).isEqualTo(RedisFault.DISCONNECTED);
		assertThat(RedisFault.of(new RedisSystemException("x", reset))).isEqualTo(RedisFault.DISCONNECTED);
		assertThat(RedisFault.of(new RedisException(reset))).isEqualTo(RedisFault.DISCONNECTED);
		assertThat(RedisFault.of(new CompletionException(new ClosedChannelException())))
			.isEqualTo(RedisFault.DISCONNECTED);
	}

	@Test
	void isATimeoutWhoeverLostPatience() {
		for (Exception timeout : new Exception[] { new RedisCommandTimeoutException("Command timed out"),
				new QueryTimeoutException("No reply"), new TimeoutException() }) {
			assertThat(RedisFault.of(timeout)).isEqualTo(RedisFault.TIMEOUT);
			assertThat(RedisFault.of(new CompletionException(timeout))).isEqualTo(RedisFault.TIMEOUT);
		}
	}

	@Test
	void isOtherIfItIsNoneOfRedis() {
		assertThat(RedisFault.of(new IllegalStateException("boom"))).isEqualTo(RedisFault.OTHER);
		assertThat(RedisFault.of(new CompletionException(new StackOverflowError()))).isEqualTo(RedisFault.OTHER);
	}

	@Test
	void isFoundInAChainOfCausesThatNeverEnds() {
		Exception first = new Exception("first");
		Exception second = new Exception("second", first);
		first.initCause(second);
		assertThat(RedisFault.of(first)).isEqualTo(RedisFault.OTHER);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			NO_PERMISSION | NOAUTH HELLO must be called with the client already authenticated
			NO_PERMISSION | WRONGPASS invalid username-password pair or user is disabled.
			UNAVAILABLE   | LOADING Redis is loading the dataset in memory
			OTHER         | ERR Client sent AUTH, but no password is set
			""")
	void isToldByWhatTheServerSaidWhereItRefusedTheConnection(RedisFault fault, String text) {
		RedisConnectionException refused = new RedisConnectionException("Unable to connect to 127.0.0.1:6379",
				new RedisCommandExecutionException(text));
		assertThat(RedisFault.of(refused)).isEqualTo(fault);
		assertThat(RedisFault.of(new RedisConnectionFailureException("Unable to connect to Redis", refused)))
			.isEqualTo(fault);
		assertThat(RedisFault
			.of(new CompletionException(new RedisConnectionFailureException("Unable to connect to Redis", refused))))
			.isEqualTo(fault);
	}

	@Test
	void explainsAFailureWithTheReasonThatLiesDeepest() {
		assertThat(RedisFault.explain(new RedisConnectionFailureException("Unable to connect to Redis",
				new RedisConnectionException("Unable to connect to 127.0.0.1:6379",
						new IOException("Connection refused")))))
			.isEqualTo("Unable to connect to Redis (Connection refused)");
	}

	@Test
	void explainsAFailureOnceWhereItsReasonIsPartOfIt() {
		assertThat(RedisFault.explain(new RedisSystemException("OOM command not allowed (XADD on 's')",
				new RedisCommandExecutionException("OOM command not allowed"))))
			.isEqualTo("OOM command not allowed (XADD on 's')");
	}

	@Test
	void explainsWhatAStageHasFailedWithAsItself() {
		RedisSystemException failure = new RedisSystemException("OOM command not allowed (EVALSHA on 's')",
				new RedisCommandExecutionException("OOM command not allowed"));
		assertThat(RedisFault.explain(new CompletionException(failure))).isEqualTo(RedisFault.explain(failure));
	}

	@Test
	void explainsAFailureWhoseReasonSaysNothing() {
		assertThat(RedisFault.explain(new RedisConnectionFailureException("Connection lost (XACK on 's')",
				new CompletionException(new ClosedChannelException()))))
			.startsWith("Connection lost (XACK on 's')")
			.doesNotContain("null");
		assertThat(RedisFault.explain(new IllegalStateException("boom", new TimeoutException()))).isEqualTo("boom");
	}

	@Test
	void explainsAFailureThatSaysNothingByItsKind() {
		assertThat(RedisFault.explain(new TimeoutException())).contains("TimeoutException").doesNotContain("null");
		assertThat(RedisFault.explain(new IllegalStateException((String) null, new IOException("reset"))))
			.contains("reset")
			.doesNotContain("null");
	}

	@Test
	void describesItselfInWords() {
		assertThat(RedisFault.values())
			.allSatisfy((fault) -> assertThat(fault.description()).matches("[A-Z][A-Za-z ]+[a-z)]"));
	}

}
