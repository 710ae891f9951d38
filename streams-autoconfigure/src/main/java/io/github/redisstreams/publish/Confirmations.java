package io.github.redisstreams.publish;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

import io.github.redisstreams.redis.Added;

import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.connection.stream.RecordId;

/**
 * Waits for what Redis says to what was sent, and throws what is to be told of it.
 */
final class Confirmations {

	private Confirmations() {
	}

	static <T> T await(CompletionStage<T> stage, String stream) {
		try {
			return stage.toCompletableFuture().join();
		}
		catch (CompletionException ex) {
			if (ex.getCause() instanceof RedisConnectionFailureException failure) {
				throw named(failure, stream);
			}
			if (ex.getCause() instanceof RuntimeException failure) {
				// Who has sent tells more than who has read the reply, as the cause does
				failure.setStackTrace(new Throwable().getStackTrace());
				throw failure;
			}
			throw ex;
		}
	}

	// Where there was no connection to begin with, it does not tell what for
	private static RedisConnectionFailureException named(RedisConnectionFailureException failure, String stream) {
		String message = String.valueOf(failure.getMessage());
		String name = "'" + stream + "'";
		return message.contains(name) ? failure
				: new RedisConnectionFailureException(message + ", so that nothing was done on " + name, failure);
	}

	/**
	 * Wait for those of many entries of one stream, at least one.
	 * @throws PartlySentException if there is one that was not added
	 */
	static List<RecordId> awaitAll(List<OutgoingEntry> entries, List<CompletionStage<Added>> replies) {
		awaitLast(replies);
		String stream = entries.get(0).stream().key();
		List<RecordId> ids = new ArrayList<>(replies.size());
		Map<Integer, Throwable> failures = new TreeMap<>();
		for (int i = 0; i < replies.size(); i++) {
			try {
				ids.add(entries.get(i).id(await(replies.get(i), stream)));
			}
			catch (RuntimeException ex) {
				ids.add(RecordId.autoGenerate());
				failures.put(i, ex);
			}
		}
		if (!failures.isEmpty()) {
			throw new PartlySentException(stream, sent(ids, failures.keySet()), failures);
		}
		return Collections.unmodifiableList(ids);
	}

	// The last comes last as a rule. To be woken for each would take longer than to send
	// it
	private static void awaitLast(List<CompletionStage<Added>> replies) {
		replies.get(replies.size() - 1).handle((added, failure) -> true).toCompletableFuture().join();
	}

	private static Map<Integer, RecordId> sent(List<RecordId> ids, Set<Integer> failed) {
		Map<Integer, RecordId> sent = new TreeMap<>();
		for (int i = 0; i < ids.size(); i++) {
			if (!failed.contains(i)) {
				sent.put(i, ids.get(i));
			}
		}
		return sent;
	}

}
