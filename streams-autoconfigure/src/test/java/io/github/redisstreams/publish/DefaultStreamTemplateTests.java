package io.github.redisstreams.publish;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;

import io.github.redisstreams.redis.Added;
import io.github.redisstreams.redis.DueTime;
import io.github.redisstreams.redis.Durability;
import io.github.redisstreams.redis.EntryId;
import io.github.redisstreams.redis.NewEntry;
import io.github.redisstreams.redis.NewTask;
import io.github.redisstreams.redis.PublishCommands;
import io.github.redisstreams.redis.StreamCommands;
import io.github.redisstreams.redis.TaskState;
import io.github.redisstreams.redis.Trimming;
import io.github.redisstreams.support.EntryMessageConverter;
import io.github.redisstreams.support.StreamHeaders;
import io.github.redisstreams.test.Entries;
import io.github.redisstreams.test.StubCommands;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.mockito.ArgumentCaptor;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.dao.DuplicateKeyException;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.dao.TransientDataAccessResourceException;
import org.springframework.data.redis.connection.stream.RecordId;
import org.springframework.messaging.MessageChannel;
import org.springframework.messaging.converter.MessageConversionException;
import org.springframework.messaging.support.MessageBuilder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.atLeast;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.verifyNoInteractions;

/**
 * Tests for {@link DefaultStreamTemplate}.
 */
class DefaultStreamTemplateTests {

	private final PublishCommands commands = mock(PublishCommands.class);

	private final List<String> told = new ArrayList<>();

	private PublisherOptions options = PublisherOptions.DEFAULTS;

	private final StreamCommands streamCommands = new StubCommands() {

		@Override
		public PublishCommands publishing() {
			return DefaultStreamTemplateTests.this.commands;
		}

	};

	private final StreamTemplate template = new DefaultStreamTemplate(this.streamCommands,
			new EntryMessageConverter(JsonMapper.shared()), new PublisherSettings() {

				@Override
				public String streamKey(String name) {
					return name.equals("results") ? "app:results" : name;
				}

				@Override
				public PublisherOptions options(String stream) {
					return DefaultStreamTemplateTests.this.options;
				}

				@Override
				public String producer() {
					return "shop";
				}

			}, new PublishEvents() {

				@Override
				public void scheduled(String stream, Duration dueIn) {
					DefaultStreamTemplateTests.this.told.add(stream + " in " + dueIn.toMillis());
				}

				@Override
				public void trimmedUndelivered(String stream, long count) {
					DefaultStreamTemplateTests.this.told.add(stream + " lost " + count);
				}

			});

	private List<byte[]> fieldsSentTo(String key) {
		ArgumentCaptor<NewEntry> entry = ArgumentCaptor.captor();
		verify(this.commands).add(entry.capture());
		assertThat(entry.getValue().stream()).isEqualTo(key);
		return entry.getValue().namesAndValues();
	}

	private void givenAReply() {
		given(this.commands.add(any()))
			.willReturn(CompletableFuture.completedFuture(new Added(new EntryId(7, 1), null, null, 0)));
	}

	@Test
	void returnsTheIdThatTheServerGave() {
		givenAReply();
		assertThat(this.template.send("events", "x")).isEqualTo(RecordId.of("7-1"));
	}

	@Test
	void sendsToTheKeyThatTheNameStandsFor() {
		givenAReply();
		this.template.send("results", "x");
		assertThat(fieldsSentTo("app:results")).containsExactly(Entries.bytes("payload"), Entries.bytes("x"));
	}

	@Test
	void sendsHeadersAsFieldsAfterThePayload() {
		givenAReply();
		this.template.send("events", Map.of("n", 1), Map.of("id", "order-7"));
		assertThat(fieldsSentTo("events")).containsExactly(Entries.bytes("payload"), Entries.bytes("{\"n\":1}"),
				Entries.bytes("id"), Entries.bytes("order-7"));
	}

	@Test
	void sendsAMessageWithoutWhatSpringAddsToIt() {
		givenAReply();
		this.template.send("events", MessageBuilder.withPayload("x").setHeader("priority", 3).build());
		assertThat(fieldsSentTo("events")).containsExactly(Entries.bytes("payload"), Entries.bytes("x"),
				Entries.bytes("priority"), Entries.bytes("3"));
	}

	@Test
	void throwsWhatRedisRepliedAsADataAccessException() {
		given(this.commands.add(any())).willReturn(CompletableFuture
			.failedFuture(new TransientDataAccessResourceException("OOM command not allowed (XADD on 'events')")));
		assertThatExceptionOfType(TransientDataAccessResourceException.class)
			.isThrownBy(() -> this.template.send("events", "x"))
			.withMessageContaining("OOM")
			.withMessageContaining("XADD on 'events'");
	}

	@Test
	void throwsWhatFailedBeforeAnythingWasSent() {
		given(this.commands.add(any())).willThrow(new QueryTimeoutException("cannot connect"));
		assertThatExceptionOfType(QueryTimeoutException.class).isThrownBy(() -> this.template.send("events", "x"));
	}

	@Test
	void aPayloadThatCannotBeWrittenIsNotSent() {
		Map<String, Object> endless = new HashMap<>();
		endless.put("self", endless);
		assertThatExceptionOfType(MessageConversionException.class)
			.isThrownBy(() -> this.template.send("events", endless));
		verifyNoInteractions(this.commands);
	}

	private static CompletionStage<Added> added(long sequence) {
		return CompletableFuture.completedFuture(new Added(new EntryId(7, sequence), null, null, 0));
	}

	private static CompletionStage<Added> scheduledIn(Duration time) {
		return CompletableFuture.completedFuture(new Added(null, time, null, 0));
	}

	private static CompletionStage<Added> refusedAs(TaskState state) {
		return CompletableFuture.completedFuture(new Added(null, null, state, 0));
	}

	private static CompletionStage<Added> failed(String message) {
		return CompletableFuture.failedFuture(new TransientDataAccessResourceException(message));
	}

	/**
	 * The entries that were sent one by one.
	 */
	private List<NewEntry> sent() {
		ArgumentCaptor<NewEntry> entries = ArgumentCaptor.captor();
		verify(this.commands, atLeast(0)).add(entries.capture());
		return entries.getAllValues();
	}

	private NewEntry scheduled(String id) {
		ArgumentCaptor<NewEntry> entry = ArgumentCaptor.captor();
		verify(this.commands).schedule(entry.capture(), eq(id), any(), any());
		return entry.getValue();
	}

	private static List<String> text(NewEntry entry) {
		return entry.namesAndValues().stream().map((bytes) -> new String(bytes, StandardCharsets.UTF_8)).toList();
	}

	@Test
	void sendsACollectionInItsOrder() {
		given(this.commands.addAll(any(), any())).willReturn(List.of(added(1), added(2), added(3)));
		assertThat(this.template.sendAll("results", List.of("a", "b", "c"))).containsExactly(RecordId.of("7-1"),
				RecordId.of("7-2"), RecordId.of("7-3"));
		ArgumentCaptor<List<NewEntry>> entries = ArgumentCaptor.captor();
		verify(this.commands).addAll(entries.capture(), eq(Durability.NONE));
		assertThat(entries.getValue()).extracting(NewEntry::stream).containsOnly("app:results");
		assertThat(entries.getValue()).extracting(DefaultStreamTemplateTests::text)
			.containsExactly(List.of("payload", "a"), List.of("payload", "b"), List.of("payload", "c"));
	}

	@Test
	void anEmptyCollectionSendsNothing() {
		assertThat(this.template.sendAll("events", List.of())).isEmpty();
		verifyNoInteractions(this.commands);
	}

	@Test
	void messagesOfACollectionBringTheirHeaders() {
		given(this.commands.addAll(any(), any())).willReturn(List.of(added(1), added(2)));
		this.template.sendAll("events", List.of(MessageBuilder.withPayload("a").setHeader("priority", 3).build(),
				MessageBuilder.withPayload(Map.of("n", 1)).setHeader(StreamHeaders.TASK_KEY, "k").build()));
		ArgumentCaptor<List<NewEntry>> entries = ArgumentCaptor.captor();
		verify(this.commands).addAll(entries.capture(), any());
		assertThat(entries.getValue()).extracting(DefaultStreamTemplateTests::text)
			.containsExactly(List.of("payload", "a", "priority", "3"), List.of("payload", "{\"n\":1}"));
		assertThat(entries.getValue().get(1).task()).isEqualTo(new NewTask("k", Duration.ZERO));
	}

	@Test
	void ofACollectionWithAPayloadThatCannotBeWrittenNothingIsSent() {
		Map<String, Object> endless = new HashMap<>();
		endless.put("self", endless);
		assertThatExceptionOfType(MessageConversionException.class)
			.isThrownBy(() -> this.template.sendAll("events", List.of("a", endless)));
		verifyNoInteractions(this.commands);
	}

	@Test
	void tellsExactlyWhichOfACollectionWereNotSent() {
		given(this.commands.addAll(any(), any())).willReturn(
				List.of(added(1), failed("OOM (EVAL on 'app:results')"), added(2), refusedAs(TaskState.RUNNING)));
		assertThatExceptionOfType(PartlySentException.class)
			.isThrownBy(() -> this.template.sendAll("results", List.of("a", "b", "c", "d")))
			.withMessageStartingWith(
					"2 of 4 entries were not confirmed to be in stream 'app:results', the first at position 1")
			.withCauseInstanceOf(TransientDataAccessResourceException.class)
			.satisfies((ex) -> {
				assertThat(ex.getSent()).containsExactly(Map.entry(0, RecordId.of("7-1")),
						Map.entry(2, RecordId.of("7-2")));
				assertThat(ex.getFailures()).containsOnlyKeys(1, 3);
				assertThat(ex.getFailures().get(1)).isInstanceOf(TransientDataAccessResourceException.class);
				assertThat(ex.getFailures().get(3)).isInstanceOf(TaskActiveException.class);
			});
	}

	@Test
	void aMessageAsPayloadBringsItsHeadersBesideThoseThatAreGiven() {
		givenAReply();
		Object message = MessageBuilder.withPayload("x").setHeader("a", 1).setHeader("b", 2).build();
		this.template.send("events", message, Map.of("b", 3));
		assertThat(text(sent().get(0))).startsWith("payload", "x")
			.containsSubsequence("a", "1")
			.containsSubsequence("b", "3")
			.hasSize(6);
	}

	@Test
	void aMessageIsScheduledWithItsHeadersAndTheGivenKey() {
		given(this.commands.schedule(any(), any(), any(), any())).willReturn(scheduledIn(Duration.ofMinutes(1)));
		Object message = MessageBuilder.withPayload("x").setHeader("a", 1).build();
		assertThat(
				this.template.sendAfter("events", message, Map.of(StreamHeaders.TASK_KEY, "k"), Duration.ofMinutes(1)))
			.isEqualTo("k");
		assertThat(text(scheduled("k"))).containsExactly("payload", "x", "a", "1");
	}

	@Test
	void channelsToReplyToAreNotWrittenButTheirNamesAre() {
		givenAReply();
		MessageChannel channel = (message, timeout) -> true;
		this.template.send("events",
				MessageBuilder.withPayload("x").setReplyChannel(channel).setErrorChannel(channel).build());
		this.template.send("events", MessageBuilder.withPayload("x").setReplyChannelName("replies").build());
		assertThat(sent()).extracting(DefaultStreamTemplateTests::text)
			.containsExactly(List.of("payload", "x"), List.of("payload", "x", "replyChannel", "replies"));
	}

	@Test
	void anEntryWithATaskKeyIsATaskAndTheKeyNoField() {
		givenAReply();
		this.template.send("events", "x", Map.of(StreamHeaders.TASK_KEY, "order-7"));
		assertThat(sent().get(0).task()).isEqualTo(new NewTask("order-7", Duration.ZERO));
		assertThat(text(sent().get(0))).containsExactly("payload", "x");
	}

	@Test
	void aRefusedTaskIsADuplicateKeyThatNamesStreamTaskAndState() {
		given(this.commands.add(any())).willReturn(refusedAs(TaskState.QUEUED));
		assertThatExceptionOfType(TaskActiveException.class)
			.isThrownBy(() -> this.template.send("results", "x", Map.of(StreamHeaders.TASK_KEY, "order-7")))
			.isInstanceOf(DuplicateKeyException.class)
			.withMessage("There is a task 'order-7' in stream 'app:results' already, which is queued")
			.satisfies((ex) -> {
				assertThat(ex.getStream()).isEqualTo("app:results");
				assertThat(ex.getTaskId()).isEqualTo("order-7");
				assertThat(ex.getState()).isEqualTo(TaskState.QUEUED);
			});
	}

	@Test
	void anIdempotencyKeyIsThatOfTheProducer() {
		givenAReply();
		this.template.send("events", "x", Map.of(StreamHeaders.IDEMPOTENCY_KEY, 7));
		assertThat(sent().get(0).idempotencyKey()).isEqualTo(new NewEntry.IdempotencyKey("shop", "7"));
		assertThat(text(sent().get(0))).containsExactly("payload", "x");
	}

	@ParameterizedTest
	@ValueSource(strings = { StreamHeaders.TASK_KEY, StreamHeaders.IDEMPOTENCY_KEY })
	void aKeyThatCannotBeOneIsRefused(String header) {
		for (String key : new String[] { "", "*" }) {
			assertThatIllegalArgumentException()
				.isThrownBy(() -> this.template.send("events", "x", Map.of(header, key)))
				.withMessage("An entry for stream 'events' has the " + header + " '" + key
						+ "'. A key is any text but '' and '*'.");
		}
		verifyNoInteractions(this.commands);
	}

	@Test
	void bothKeysAreRefused() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> this.template.send("events", "x",
					Map.of(StreamHeaders.TASK_KEY, "a", StreamHeaders.IDEMPOTENCY_KEY, "b")))
			.withMessageContaining("stream 'events'")
			.withMessageContaining(StreamHeaders.TASK_KEY)
			.withMessageContaining(StreamHeaders.IDEMPOTENCY_KEY);
		verifyNoInteractions(this.commands);
	}

	@Test
	void anIdempotencyKeyOfAScheduledEntryIsRefused() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> this.template.sendAfter("events", "x", Map.of(StreamHeaders.IDEMPOTENCY_KEY, "k"),
					Duration.ofSeconds(1)))
			.withMessageContaining("cannot be scheduled with a header " + StreamHeaders.IDEMPOTENCY_KEY);
		verifyNoInteractions(this.commands);
	}

	@Test
	void schedulesUnderAnIdOfItsOwnAndTells() {
		given(this.commands.schedule(any(), any(), any(), any())).willReturn(scheduledIn(Duration.ofSeconds(3)));
		String id = this.template.sendAfter("results", "x", Duration.ofSeconds(3));
		verify(this.commands).schedule(any(), eq(id), eq(DueTime.after(Duration.ofSeconds(3))), eq(Durability.NONE));
		assertThat(scheduled(id).task()).isNull();
		assertThat(this.told).containsExactly("app:results in 3000");
		Instant time = Instant.parse("2030-01-01T09:00:00Z");
		assertThat(this.template.sendAt("results", "x", time)).isNotEqualTo(id);
		verify(this.commands).schedule(any(), any(), eq(DueTime.at(time)), any());
	}

	@Test
	void ofWhatIsDueNothingIsToldButWhatItsTrimmingHasCost() {
		given(this.commands.schedule(any(), any(), any(), any()))
			.willReturn(CompletableFuture.completedFuture(new Added(new EntryId(7, 1), null, null, 5)));
		this.template.sendAt("events", "x", Instant.EPOCH);
		assertThat(this.told).containsExactly("events lost 5");
	}

	@Test
	void aTaskIsScheduledUnderItsKeyUnlessThereIsOne() {
		given(this.commands.schedule(any(), any(), any(), any())).willReturn(scheduledIn(Duration.ofSeconds(3)))
			.willReturn(refusedAs(TaskState.SCHEDULED));
		Map<String, Object> key = Map.of(StreamHeaders.TASK_KEY, "order-7");
		assertThat(this.template.sendAfter("events", "x", key, Duration.ofSeconds(3))).isEqualTo("order-7");
		assertThatExceptionOfType(TaskActiveException.class)
			.isThrownBy(() -> this.template.sendAfter("events", "x", key, Duration.ofSeconds(3)))
			.withMessageContaining("'order-7'")
			.withMessageContaining("scheduled");
		assertThat(this.told).hasSize(1);
	}

	@Test
	void whatIsScheduledTakesNoTurnToTrimFromWhatIsAdded() {
		givenAReply();
		given(this.commands.schedule(any(), any(), any(), any())).willReturn(scheduledIn(Duration.ofDays(3)));
		String id = this.template.sendAfter("events", "x", Duration.ofDays(3));
		assertThat(scheduled(id).trimming()).isEqualTo(this.options.trimming());
		this.template.send("events", "x");
		this.template.send("events", "x");
		assertThat(sent()).extracting(NewEntry::trimming).containsExactly(this.options.trimming(), Trimming.NONE);
	}

	@Test
	void theTurnToTrimOfWhatIsRefusedIsThatOfTheNext() {
		given(this.commands.add(any())).willReturn(refusedAs(TaskState.QUEUED)).willReturn(added(1));
		assertThatExceptionOfType(TaskActiveException.class)
			.isThrownBy(() -> this.template.send("events", "x", Map.of(StreamHeaders.TASK_KEY, "k")));
		this.template.send("events", "x");
		this.template.send("events", "x");
		assertThat(sent()).extracting(NewEntry::trimming)
			.containsExactly(this.options.trimming(), this.options.trimming(), Trimming.NONE);
	}

	@Test
	void bothNamesOfAStreamAreOneStream() {
		givenAReply();
		this.template.send("results", "x");
		this.template.send("app:results", "x");
		assertThat(sent()).extracting(NewEntry::trimming).containsExactly(this.options.trimming(), Trimming.NONE);
	}

	@Test
	void whereAllAreTrackedAnEntryWithoutKeyIsATaskToo() {
		this.options = new PublisherOptions(Trimming.NONE, true, Duration.ofHours(1), Durability.NONE);
		givenAReply();
		this.template.send("events", "x");
		assertThat(sent().get(0).task()).isEqualTo(new NewTask(null, Duration.ofHours(1)));
	}

	@Test
	void whatIsToBeDurableIsSentSo() {
		Durability durability = new Durability(1, true, Duration.ofSeconds(2));
		this.options = new PublisherOptions(Trimming.NONE, false, Duration.ofHours(1), durability);
		given(this.commands.addAll(any(), eq(durability))).willReturn(List.of(added(1)));
		given(this.commands.schedule(any(), any(), any(), eq(durability)))
			.willReturn(scheduledIn(Duration.ofSeconds(1)));
		assertThat(this.template.send("events", "x")).isEqualTo(RecordId.of("7-1"));
		assertThat(this.template.sendAsync("events", "x").join()).isEqualTo(RecordId.of("7-1"));
		assertThat(this.template.sendAll("events", List.of("x"))).containsExactly(RecordId.of("7-1"));
		assertThat(this.template.sendAfter("events", "x", Duration.ofSeconds(1))).isNotEmpty();
	}

	@Test
	void anotherDurabilityIsForThatTemplateOnly() {
		Durability durability = new Durability(2, false, Duration.ofSeconds(3));
		this.options = new PublisherOptions(Trimming.NONE, true, Duration.ofHours(1), Durability.NONE);
		given(this.commands.addAll(any(), eq(durability))).willReturn(List.of(added(1)));
		givenAReply();
		StreamTemplate durable = this.template.withDurability(durability);
		assertThat(durable.send("results", "x")).isEqualTo(RecordId.of("7-1"));
		ArgumentCaptor<List<NewEntry>> entries = ArgumentCaptor.captor();
		verify(this.commands).addAll(entries.capture(), any());
		assertThat(entries.getValue()).singleElement()
			.satisfies((entry) -> assertThat(entry.stream()).isEqualTo("app:results"))
			.satisfies((entry) -> assertThat(entry.task()).isEqualTo(new NewTask(null, Duration.ofHours(1))));
		this.template.send("results", "x");
		verify(this.commands).add(any());
	}

	@Test
	void aDurabilityThatCannotBeIsRefused() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> this.template.withDurability(new Durability(-1, false, Duration.ofSeconds(1))))
			.withMessageContaining("replicas");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> this.template.withDurability(new Durability(1, false, Duration.ZERO)))
			.withMessageContaining("timeout");
	}

	@Test
	void cancelsAndReschedulesInTheStreamThatTheNameStandsFor() {
		Instant time = Instant.parse("2030-01-01T09:00:00Z");
		given(this.commands.cancel("app:results", "a")).willReturn(CompletableFuture.completedFuture(true));
		given(this.commands.cancel("app:results", "b")).willReturn(CompletableFuture.completedFuture(false));
		given(this.commands.reschedule("app:results", "a", DueTime.at(time)))
			.willReturn(CompletableFuture.completedFuture(true));
		given(this.commands.reschedule("app:results", "b", DueTime.at(time)))
			.willReturn(CompletableFuture.completedFuture(false));
		assertThat(this.template.cancel("results", "a")).isTrue();
		assertThat(this.template.cancel("results", "b")).isFalse();
		assertThat(this.template.reschedule("results", "b", time)).isFalse();
		assertThat(this.told).isEmpty();
		assertThat(this.template.reschedule("results", "a", time)).isTrue();
		assertThat(this.told).containsExactly("app:results in 0");
	}

	@Test
	void aFutureFailsWithWhatSendWouldThrow() {
		given(this.commands.add(any())).willReturn(failed("OOM (XADD on 'events')"))
			.willReturn(refusedAs(TaskState.QUEUED));
		List<Throwable> failures = new CopyOnWriteArrayList<>();
		for (Object key : List.of("a", "b")) {
			this.template.sendAsync("events", "x", Map.of(StreamHeaders.TASK_KEY, key)).handle((id, failure) -> {
				assertThat(id).isNull();
				return failures.add(failure);
			}).join();
		}
		assertThat(failures.get(0)).isInstanceOf(TransientDataAccessResourceException.class);
		assertThat(failures.get(1)).isInstanceOf(TaskActiveException.class);
	}

	@Test
	void whatCannotBeSentAsynchronouslyIsThrownAtOnce() {
		Map<String, Object> endless = new HashMap<>();
		endless.put("self", endless);
		assertThatExceptionOfType(MessageConversionException.class)
			.isThrownBy(() -> this.template.sendAsync("events", endless));
	}

	@Test
	void manyFuturesAreCompletedThoughWhatIsDoneWithThemWaitsForOthers() {
		List<CompletableFuture<RecordId>> all = new ArrayList<>();
		CompletableFuture<Added> late = new CompletableFuture<>();
		given(this.commands.add(any())).willReturn(late);
		for (int i = 0; i < 50; i++) {
			all.add(this.template.sendAsync("events", "x")
				.thenApply((id) -> this.template.sendAsync("events", "y").join()));
		}
		late.complete(new Added(new EntryId(7, 1), null, null, 0));
		assertThat(CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)))
			.succeedsWithin(Duration.ofSeconds(20));
	}

	// In an executable jar that of the system knows no class of the application
	@Test
	void futuresAreCompletedWithTheContextClassLoaderOfTheApplication() throws IOException {
		Thread thread = Thread.currentThread();
		ClassLoader original = thread.getContextClassLoader();
		try (URLClassLoader application = new URLClassLoader(new URL[0], original)) {
			thread.setContextClassLoader(application);
			StreamTemplate template = new DefaultStreamTemplate(this.streamCommands,
					new EntryMessageConverter(JsonMapper.shared()));
			CompletableFuture<Added> late = new CompletableFuture<>();
			given(this.commands.add(any())).willReturn(late);
			CompletableFuture<ClassLoader> used = template.sendAsync("events", "x")
				.thenApply((id) -> Thread.currentThread().getContextClassLoader());
			late.complete(new Added(new EntryId(7, 1), null, null, 0));
			assertThat(used.join()).isSameAs(application);
		}
		finally {
			thread.setContextClassLoader(original);
		}
	}

	@Test
	void aFutureFailsWhateverIsThrown() {
		given(this.commands.add(any()))
			.willReturn(CompletableFuture.completedFuture(new Added(new EntryId(7, 1), null, null, 1)));
		StreamTemplate template = new DefaultStreamTemplate(this.streamCommands,
				new EntryMessageConverter(JsonMapper.shared()), PublisherSettings.DEFAULTS, new PublishEvents() {

					@Override
					public void trimmedUndelivered(String stream, long count) {
						throw new NoClassDefFoundError("Meters");
					}

				});
		assertThat(template.sendAsync("events", "x")).failsWithin(Duration.ofSeconds(20))
			.withThrowableThat()
			.withCauseInstanceOf(NoClassDefFoundError.class);
	}

}
