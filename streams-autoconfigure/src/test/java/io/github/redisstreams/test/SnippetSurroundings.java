package io.github.redisstreams.test;

import java.io.Serial;
import java.time.Duration;
import java.util.concurrent.CompletionStage;

import io.github.redisstreams.config.StreamListenerRegistry;
import io.github.redisstreams.deadletter.DeadLetterEntry;
import io.github.redisstreams.deadletter.DeadLetters;
import io.github.redisstreams.publish.StreamTemplate;
import io.github.redisstreams.redis.StreamCommands;
import reactor.core.publisher.Mono;

/**
 * What snippets of the documentation use without declaring it: what an application has. A
 * snippet's own declarations of these names win.
 */
public final class SnippetSurroundings {

	private SnippetSurroundings() {
	}

	public static void bill(Order order) {
	}

	public static void store(Object content) {
	}

	/**
	 * What the class around a snippet inherits.
	 */
	public abstract static class Fields {

		protected StreamTemplate streams;

		protected StreamListenerRegistry registry;

		protected StreamCommands commands;

		protected DeadLetters deadLetters;

		protected DeadLetterEntry letter;

		protected Client client;

		protected Order order;

	}

	public record Order(String customer, String product, int quantity) {

	}

	public record Invoice(String customer) {

	}

	public static class TooManyRequests extends RuntimeException {

		@Serial
		private static final long serialVersionUID = 1L;

		public Duration retryAfter() {
			return Duration.ofSeconds(1);
		}

	}

	public static class QuotaExceeded extends RuntimeException {

		@Serial
		private static final long serialVersionUID = 1L;

	}

	/**
	 * An application's client of another service, and as much of {@code WebClient}, which
	 * is not on the class path, as is used.
	 */
	public interface Client {

		void bill(Order order);

		CompletionStage<Void> order(Order order);

		Request post();

		interface Request {

			Request uri(String uri);

			Request bodyValue(Object body);

			Response retrieve();

		}

		interface Response {

			<T> Mono<T> bodyToMono(Class<T> type);

		}

	}

}
