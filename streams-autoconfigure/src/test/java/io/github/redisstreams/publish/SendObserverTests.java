package io.github.redisstreams.publish;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

import io.github.redisstreams.redis.Added;
import io.github.redisstreams.redis.Durability;
import io.github.redisstreams.redis.EntryId;
import io.github.redisstreams.redis.NewEntry;
import io.github.redisstreams.redis.PublishCommands;
import io.github.redisstreams.redis.TaskState;
import io.github.redisstreams.support.EntryMessageConverter;
import io.github.redisstreams.support.StreamHeaders;
import io.github.redisstreams.test.StubCommands;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.dao.TransientDataAccessResourceException;
import org.springframework.data.redis.connection.stream.RecordId;
import org.springframework.messaging.MessageHeaders;
import org.springframework.messaging.converter.MessageConversionException;
import org.springframework.messaging.support.MessageBuilder;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionSynchronizationUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * What who watches a template is told, and has written, whichever way it sends.
 */
class SendObserverTests {

	private final List<String> told = Collections.synchronizedList(new ArrayList<>());

	private final List<NewEntry> written = new ArrayList<>();

	private final PublishCommands commands = mock();

	private CompletionStage<Added> reply = CompletableFuture
		.completedFuture(new Added(new EntryId(1, 1), null, null, 0));

	private boolean afterCommit;

	private final StreamTemplate template = template(new Recorder());

	private StreamTemplate template(SendObserver... observers) {
		return new DefaultStreamTemplate(new StubCommands() {

			@Override
			public PublishCommands publishing() {
				return SendObserverTests.this.commands;
			}

		}, new EntryMessageConverter(JsonMapper.shared()), new PublisherSettings() {

			@Override
			public String streamKey(String name) {
				return "app:" + name;
			}

			@Override
			public boolean afterCommit() {
				return SendObserverTests.this.afterCommit;
			}

		}, new PublishEvents() {
		}, List.of(observers));
	}

	@BeforeEach
	void replyToEverything() {
		given(this.commands.add(any())).willAnswer((call) -> write(call.getArgument(0)));
		given(this.commands.addAll(any(), any()))
			.willAnswer((call) -> call.<List<NewEntry>>getArgument(0).stream().map(this::write).toList());
		given(this.commands.schedule(any(), anyString(), any(), any()))
			.willAnswer((call) -> write(call.getArgument(0)));
	}

	private CompletionStage<Added> write(NewEntry entry) {
		this.told.add("written");
		this.written.add(entry);
		return this.reply;
	}

	private List<Map<String, String>> fields() {
		return this.written.stream().map((entry) -> {
			Map<String, String> fields = new LinkedHashMap<>();
			for (int i = 0; i < entry.namesAndValues().size(); i += 2) {
				String name = text(entry.namesAndValues().get(i));
				assertThat(fields.put(name, text(entry.namesAndValues().get(i + 1)))).as(name).isNull();
			}
			return fields;
		}).toList();
	}

	private static String text(byte[] bytes) {
		return new String(bytes, StandardCharsets.UTF_8);
	}

	@ParameterizedTest
	@EnumSource
	void everyWayToSendIsWatchedFromTheCallToTheReply(Way way) {
		way.send(this.template, "x");
		assertThat(this.told).containsExactly("begin app:events 1", "written", "end");
		assertThat(fields()).containsExactly(Map.of("payload", "x", "trace", "t1"));
	}

	@ParameterizedTest
	@EnumSource
	@ExtendWith(OutputCaptureExtension.class)
	void anObserverThatFailsIsLoggedAndChangesNothing(Way way, CapturedOutput output) {
		SendObserver noBegin = (stream, entries) -> {
			throw new IllegalStateException("no begin");
		};
		SendObserver nothingElse = (stream, entries) -> new SendObserver.Send() {

			@Override
			public Map<String, ?> complete(Map<String, ?> headers) {
				throw new IllegalStateException("no headers");
			}

			@Override
			public void end(@Nullable Throwable failure) {
				throw new NoClassDefFoundError("no end");
			}

		};
		way.send(template(noBegin, new Recorder(), nothingElse), "x");
		assertThat(this.told).containsExactly("begin app:events 1", "written", "end");
		assertThat(fields()).containsExactly(Map.of("payload", "x", "trace", "t1"));
		assertThat(output).contains("Observing StreamTemplate failed, which does not keep it from its work")
			.contains("no begin")
			.contains("no headers");
	}

	@Test
	void theFirstObserverIsAroundTheOthers() {
		SendObserver inner = (stream, entries) -> new SendObserver.Send() {

			@Override
			public Map<String, ?> complete(Map<String, ?> headers) {
				return Map.of("trace", "inner");
			}

			@Override
			public void end(@Nullable Throwable failure) {
				SendObserverTests.this.told.add("inner ends");
			}

		};
		template(new Recorder(), inner).send("events", "x");
		assertThat(this.told).containsExactly("begin app:events 1", "written", "inner ends", "end");
		assertThat(fields()).containsExactly(Map.of("payload", "x", "trace", "inner"));
	}

	@Test
	void whatIsSentTogetherIsOneSendWhoseEntriesAllCarryItsTrace() {
		this.template.sendAll("events",
				List.of("x", MessageBuilder.withPayload("y").setHeader("trace", "own").build()));
		assertThat(this.told).containsExactly("begin app:events 2", "written", "written", "end");
		assertThat(fields()).containsExactly(Map.of("payload", "x", "trace", "t1"),
				Map.of("payload", "y", "trace", "own"));
	}

	@Test
	void toSendNothingIsNoSend() {
		assertThat(this.template.sendAll("events", List.of())).isEmpty();
		assertThat(this.told).isEmpty();
	}

	@Test
	void headersGoAlong() {
		this.template.send("events", "x", Map.of("source", "http", "trace", "own"));
		this.template.send("events", "y", new MessageHeaders(Map.of("source", "http")));
		assertThat(fields()).containsExactly(Map.of("payload", "x", "source", "http", "trace", "own"),
				Map.of("payload", "y", "source", "http", "trace", "t2"));
	}

	@Test
	void aTemplateOfOtherDurabilityIsWatchedToo() {
		this.template.withDurability(new Durability(1, false, Duration.ofSeconds(1))).send("events", "x");
		assertThat(this.told).containsExactly("begin app:events 1", "written", "end");
	}

	@ParameterizedTest
	@EnumSource
	void aFailureIsTold(Way way) {
		this.reply = CompletableFuture.failedFuture(new TransientDataAccessResourceException("OOM"));
		assertThatExceptionOfType(Exception.class).isThrownBy(() -> way.send(this.template, "x"));
		assertThat(this.told).containsExactly("begin app:events 1", "written",
				"end " + ((way == Way.SEND_ALL) ? "PartlySentException" : "TransientDataAccessResourceException"));
	}

	@ParameterizedTest
	@EnumSource
	void whatCannotBeWrittenIsAFailure(Way way) {
		assertThatExceptionOfType(MessageConversionException.class)
			.isThrownBy(() -> way.send(this.template, new Object() {

				@SuppressWarnings("unused")
				public Object getSelf() {
					return this;
				}

			}));
		assertThat(this.told).containsExactly("begin app:events 1", "end MessageConversionException");
	}

	@Test
	void aRefusalIsAFailure() {
		this.reply = CompletableFuture.completedFuture(new Added(null, null, TaskState.RUNNING, 0));
		assertThatExceptionOfType(TaskActiveException.class)
			.isThrownBy(() -> this.template.send("events", "x", Map.of(StreamHeaders.TASK_KEY, "k")));
		assertThat(this.told).containsExactly("begin app:events 1", "written", "end TaskActiveException");
	}

	@Test
	void theEndIsToldBeforeTheFutureIsDone() {
		CompletableFuture<Added> reply = new CompletableFuture<>();
		this.reply = reply;
		List<String> toldBefore = new ArrayList<>();
		CompletableFuture<RecordId> id = this.template.sendAsync("events", "x")
			.whenComplete((sent, failure) -> toldBefore.addAll(this.told));
		assertThat(this.told).containsExactly("begin app:events 1", "written");
		reply.complete(new Added(new EntryId(1, 1), null, null, 0));
		assertThat(id).succeedsWithin(Duration.ofSeconds(20));
		assertThat(toldBefore).containsExactly("begin app:events 1", "written", "end");
	}

	@ParameterizedTest
	@EnumSource
	void whatIsSentAfterACommitIsOfTheContextOfTheCall(Way way) {
		this.afterCommit = true;
		List<Object> results = new ArrayList<>();
		inTransaction(TransactionSynchronization.STATUS_COMMITTED, () -> {
			results.add(way.begin(this.template, "x"));
			this.told.add("commit");
		});
		if (results.get(0) instanceof CompletableFuture<?> id) {
			assertThat(id).succeedsWithin(Duration.ofSeconds(20));
		}
		assertThat(this.told).containsExactly("begin app:events 1", "commit", "written", "end");
		assertThat(fields()).containsExactly(Map.of("payload", "x", "trace", "t1"));
	}

	@ParameterizedTest
	@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "SEND_ASYNC")
	void aFailureAfterTheCommitIsTold(Way way) {
		this.afterCommit = true;
		this.reply = CompletableFuture.failedFuture(new TransientDataAccessResourceException("OOM"));
		assertThatExceptionOfType(Exception.class).isThrownBy(
				() -> inTransaction(TransactionSynchronization.STATUS_COMMITTED, () -> way.begin(this.template, "x")));
		assertThat(this.told).hasSize(3).last().asString().startsWith("end ").endsWith("Exception");
	}

	@ParameterizedTest
	@EnumSource
	void whatIsNotSentAfterARollbackIsDropped(Way way) {
		this.afterCommit = true;
		inTransaction(TransactionSynchronization.STATUS_ROLLED_BACK, () -> way.begin(this.template, "x"));
		assertThat(this.told).containsExactly("begin app:events 1", "dropped");
	}

	private static void inTransaction(int status, Runnable work) {
		TransactionSynchronizationManager.initSynchronization();
		TransactionSynchronizationManager.setActualTransactionActive(true);
		try {
			work.run();
			TransactionSynchronizationUtils.triggerBeforeCompletion();
			if (status == TransactionSynchronization.STATUS_COMMITTED) {
				TransactionSynchronizationUtils.triggerAfterCommit();
			}
			TransactionSynchronizationUtils.triggerAfterCompletion(status);
		}
		finally {
			TransactionSynchronizationManager.clear();
		}
	}

	/**
	 * Every method that sends.
	 */
	enum Way {

		SEND {

			@Override
			Object begin(StreamTemplate template, Object payload) {
				return template.send("events", payload);
			}

		},

		SEND_ASYNC {

			@Override
			Object begin(StreamTemplate template, Object payload) {
				return template.sendAsync("events", payload);
			}

		},

		SEND_ALL {

			@Override
			Object begin(StreamTemplate template, Object payload) {
				return template.sendAll("events", List.of(payload));
			}

		},

		SEND_AT {

			@Override
			Object begin(StreamTemplate template, Object payload) {
				return template.sendAt("events", payload, Instant.EPOCH);
			}

		},

		SEND_AFTER {

			@Override
			Object begin(StreamTemplate template, Object payload) {
				return template.sendAfter("events", payload, Duration.ofHours(1));
			}

		};

		abstract Object begin(StreamTemplate template, Object payload);

		void send(StreamTemplate template, Object payload) {
			if (begin(template, payload) instanceof CompletableFuture<?> future) {
				future.orTimeout(20, TimeUnit.SECONDS).join();
			}
		}

	}

	/**
	 * Adds a field to each entry, unless it has one.
	 */
	private final class Recorder implements SendObserver {

		private int count;

		@Override
		public Send begin(String stream, int entries) {
			SendObserverTests.this.told.add("begin " + stream + " " + entries);
			String trace = "t" + ++this.count;
			return new SendObserver.Send() {

				@Override
				public Map<String, ?> complete(Map<String, ?> headers) {
					Map<String, Object> completed = new LinkedHashMap<>(headers);
					completed.putIfAbsent("trace", trace);
					return completed;
				}

				@Override
				public void end(@Nullable Throwable failure) {
					SendObserverTests.this.told
						.add((failure != null) ? "end " + failure.getClass().getSimpleName() : "end");
				}

				@Override
				public void dropped() {
					SendObserverTests.this.told.add("dropped");
				}

			};
		}

	}

}
