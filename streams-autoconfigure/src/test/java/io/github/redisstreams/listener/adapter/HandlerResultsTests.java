package io.github.redisstreams.listener.adapter;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executors;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;

import io.github.redisstreams.redis.StreamEntry;
import io.github.redisstreams.test.Entries;
import io.github.redisstreams.test.RecordingStreamTemplate;
import io.github.redisstreams.test.RecordingStreamTemplate.Sent;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.dao.QueryTimeoutException;
import org.springframework.messaging.Message;
import org.springframework.messaging.support.MessageBuilder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for what handler methods return: results that come later, and results that are
 * sent on.
 */
class HandlerResultsTests {

	private final Listener listener = new Listener();

	private final RecordingStreamTemplate template = new RecordingStreamTemplate();

	private final Handlers handlers = new Handlers(this.listener, this.template);

	private final ExecutorService caller = Executors.newSingleThreadExecutor();

	@AfterEach
	void endCaller() {
		this.caller.shutdownNow();
	}

	@ParameterizedTest
	@ValueSource(strings = { "stage", "mono", "flux" })
	void theCallEndsOnlyWhenTheResultIsThere(String method) throws Exception {
		Future<?> call = this.caller.submit(() -> {
			this.handlers.call(method, Entries.payload("x"));
			return null;
		});
		await().until(() -> this.listener.called);
		assertThat(call.isDone()).isFalse();
		this.listener.later.complete("done");
		call.get();
	}

	@ParameterizedTest
	@ValueSource(strings = { "stage", "mono", "flux" })
	void aFailureThatComesLaterIsThrownAsItIs(String method) {
		this.listener.later.completeExceptionally(new IOException("disk full"));
		assertThatExceptionOfType(IOException.class).isThrownBy(() -> this.handlers.call(method, Entries.payload("x")))
			.withMessage("disk full");
	}

	@Test
	void aFailureOfALaterStageIsThrownAsItIs() {
		this.listener.later.completeExceptionally(new IOException("disk full"));
		assertThatExceptionOfType(IOException.class)
			.isThrownBy(() -> this.handlers.call("dependentStage", Entries.payload("x")))
			.withMessage("disk full");
	}

	@Test
	void anErrorThatComesLaterIsThrownAsItIs() {
		this.listener.later.completeExceptionally(new NoClassDefFoundError("com/example/Gone"));
		assertThatExceptionOfType(NoClassDefFoundError.class)
			.isThrownBy(() -> this.handlers.call("stage", Entries.payload("x")));
	}

	@Test
	void aResultThatIsCancelledIsAFailure() {
		this.listener.later.cancel(true);
		assertThatExceptionOfType(CancellationException.class)
			.isThrownBy(() -> this.handlers.call("stage", Entries.payload("x")));
	}

	@Test
	void aMonoIsSubscribedOnceAndMayBeEmptyOrAnError() throws Exception {
		this.handlers.call("emptyMono", Entries.payload("x"));
		assertThat(this.listener.subscriptions).isOne();
		assertThatExceptionOfType(IOException.class)
			.isThrownBy(() -> this.handlers.call("monoError", Entries.payload("x")));
	}

	@Test
	void aFailureInTheMiddleOfAFluxIsAFailure() {
		this.handlers.replyingTo("results");
		assertThatExceptionOfType(IOException.class)
			.isThrownBy(() -> this.handlers.call("fluxError", Entries.payload("x")));
		assertThat(this.template.sent()).isEmpty();
	}

	@Test
	void aResultWithoutReplyStreamIsSentNowhere() throws Exception {
		this.handlers.call("value", Entries.payload("x"));
		this.handlers.call("collection", Entries.payload("x"));
		assertThat(this.template.sent()).isEmpty();
	}

	private List<Sent> sentBy(String method, StreamEntry... entries) throws Exception {
		this.handlers.replyingTo("results").call(method, entries);
		return this.template.sent();
	}

	@Test
	void aValueIsSent() throws Exception {
		assertThat(sentBy("value", Entries.payload("x"))).containsExactly(new Sent("results", "x!", Map.of()));
	}

	@Test
	void aMessageIsSentWithItsHeaders() throws Exception {
		assertThat(sentBy("message", Entries.payload("x"))).singleElement().satisfies((sent) -> {
			assertThat(sent.payload()).isEqualTo("x!");
			assertThat(sent.headers().get("priority")).isEqualTo(3);
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "collection", "set", "laterCollection", "fluxOfTwo" })
	void eachElementOfACollectionIsSentAsAnEntryOfItsOwn(String method) throws Exception {
		assertThat(sentBy(method, Entries.payload("x"))).extracting(Sent::payload).containsExactly("x1", "x2");
	}

	@Test
	void messagesOfACollectionAreSentWithTheirHeaders() throws Exception {
		assertThat(sentBy("messages", Entries.payload("x"))).<Object>extracting((sent) -> sent.headers().get("n"))
			.containsExactly(1, 2);
	}

	@ParameterizedTest
	@ValueSource(strings = { "nothing", "nullValue", "nullLater", "emptyMono", "emptyCollection", "nulls" })
	void nothingAndNullAreNotSent(String method) throws Exception {
		assertThat(sentBy(method, Entries.payload("x"))).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(strings = { "stage", "mono" })
	void aResultThatComesLaterIsSent(String method) throws Exception {
		this.listener.later.complete("done");
		assertThat(sentBy(method, Entries.payload("x"))).containsExactly(new Sent("results", "done", Map.of()));
	}

	@Test
	void aResultIsSentToEveryStream() throws Exception {
		this.handlers.replyingTo("results", "copies").call("value", Entries.payload("x"));
		assertThat(this.template.sent()).extracting(Sent::stream).containsExactly("results", "copies");
	}

	@Test
	void theResultOfABatchIsSent() throws Exception {
		assertThat(sentBy("batch", Entries.payload("a"), Entries.payload("b"))).extracting(Sent::payload)
			.containsExactly("A", "B");
	}

	@Test
	void aResultThatCannotBeSentIsAFailure() {
		this.handlers.replyingTo("refused");
		assertThatExceptionOfType(QueryTimeoutException.class)
			.isThrownBy(() -> this.handlers.call("value", Entries.payload("x")));
	}

	@SuppressWarnings("unused")
	static class Listener {

		private final CompletableFuture<String> later = new CompletableFuture<>();

		private volatile boolean called;

		private int subscriptions;

		CompletionStage<String> stage(String payload) {
			this.called = true;
			return this.later;
		}

		CompletionStage<String> dependentStage(String payload) {
			return this.later.thenApply(String::trim).thenApply(String::trim);
		}

		Mono<String> mono(String payload) {
			this.called = true;
			return Mono.fromFuture(this.later);
		}

		Flux<String> flux(String payload) {
			this.called = true;
			return Flux.just("first").concatWith(Mono.fromFuture(this.later));
		}

		Mono<Void> emptyMono(String payload) {
			return Mono.fromRunnable(() -> this.subscriptions++);
		}

		Mono<String> monoError(String payload) {
			return Mono.error(new IOException("disk full"));
		}

		Flux<String> fluxError(String payload) {
			return Flux.just("first").concatWith(Mono.error(new IOException("disk full")));
		}

		String value(String payload) {
			return payload + "!";
		}

		Message<String> message(String payload) {
			return MessageBuilder.withPayload(payload + "!").setHeader("priority", 3).build();
		}

		List<String> collection(String payload) {
			return List.of(payload + 1, payload + 2);
		}

		Set<String> set(String payload) {
			return new TreeSet<>(collection(payload));
		}

		CompletableFuture<List<String>> laterCollection(String payload) {
			return CompletableFuture.supplyAsync(() -> collection(payload));
		}

		Flux<String> fluxOfTwo(String payload) {
			return Flux.fromIterable(collection(payload));
		}

		List<Message<String>> messages(String payload) {
			return List.of(MessageBuilder.withPayload(payload).setHeader("n", 1).build(),
					MessageBuilder.withPayload(payload).setHeader("n", 2).build());
		}

		void nothing(String payload) {
		}

		@Nullable String nullValue(String payload) {
			return null;
		}

		CompletableFuture<@Nullable String> nullLater(String payload) {
			return CompletableFuture.completedFuture(null);
		}

		List<String> emptyCollection(String payload) {
			return List.of();
		}

		List<@Nullable String> nulls(String payload) {
			return Arrays.asList(null, null);
		}

		List<String> batch(List<String> payloads) {
			return payloads.stream().map((payload) -> payload.toUpperCase(Locale.ROOT)).toList();
		}

	}

}
