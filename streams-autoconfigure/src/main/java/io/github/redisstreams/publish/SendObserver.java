package io.github.redisstreams.publish;

import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * Watches what is sent, for meters and traces, and may add fields to it. What it throws
 * is logged and changes nothing about what is sent.
 */
@FunctionalInterface
public interface SendObserver {

	/**
	 * Somebody sends, on this thread.
	 * @param stream the stream's key
	 * @param entries how many entries, which is 1 unless it is {@code sendAll}
	 * @return is told how it goes
	 */
	Send begin(String stream, int entries);

	/**
	 * One call of {@code send}, or another method of {@link StreamTemplate} by whose name
	 * it sends.
	 */
	interface Send {

		/**
		 * For who does not want to know how it goes.
		 */
		Send UNOBSERVED = new Send() {
		};

		/**
		 * The headers that an entry is to be written with.
		 * @param headers those that the sender has given it
		 * @return the same, and further ones
		 */
		default Map<String, ?> complete(Map<String, ?> headers) {
			return headers;
		}

		/**
		 * Redis has replied, or it has failed before that. On whichever thread that comes
		 * to light.
		 * @param failure what the sender is told, or {@code null} if all is sent
		 */
		default void end(@Nullable Throwable failure) {
		}

		/**
		 * Nothing is sent, since the transaction that was to be committed first was not.
		 */
		default void dropped() {
		}

	}

}
