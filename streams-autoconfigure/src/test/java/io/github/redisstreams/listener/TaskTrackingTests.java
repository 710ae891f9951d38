package io.github.redisstreams.listener;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.github.redisstreams.deadletter.DeadLetterStreams;
import io.github.redisstreams.deadletter.DeadLetters;
import io.github.redisstreams.deadletter.RedisDeadLetters;
import io.github.redisstreams.deadletter.Redrive;
import io.github.redisstreams.listener.CaseWorker.Failed;
import io.github.redisstreams.listener.Containers.Gate;
import io.github.redisstreams.listener.Containers.Recorder;
import io.github.redisstreams.listener.ListenerOptions.Builder;
import io.github.redisstreams.listener.failure.DeadLetterException;
import io.github.redisstreams.listener.failure.Outcome;
import io.github.redisstreams.publish.DefaultStreamTemplate;
import io.github.redisstreams.publish.PublishEvents;
import io.github.redisstreams.publish.PublisherOptions;
import io.github.redisstreams.publish.PublisherSettings;
import io.github.redisstreams.publish.RedisStreamTasks;
import io.github.redisstreams.publish.StreamTasks;
import io.github.redisstreams.publish.StreamTemplate;
import io.github.redisstreams.redis.Durability;
import io.github.redisstreams.redis.EntryId;
import io.github.redisstreams.redis.LettuceStreamCommands;
import io.github.redisstreams.redis.StreamConsumer;
import io.github.redisstreams.redis.StreamTask;
import io.github.redisstreams.redis.TaskAttempt;
import io.github.redisstreams.redis.TaskState;
import io.github.redisstreams.redis.Trimming;
import io.github.redisstreams.support.EntryMessageConverter;
import io.github.redisstreams.support.StreamHeaders;
import io.github.redisstreams.test.ErrorProxy;
import io.github.redisstreams.test.RealRedis;
import io.github.redisstreams.test.RedisServer;
import io.github.redisstreams.test.TcpProxy;
import io.github.redisstreams.test.WorkerProcess;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.data.redis.connection.stream.RecordId;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What the records of tasks say while listeners handle these.
 */
@Tag("core")
@RealRedis
class TaskTrackingTests {

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private static final Duration RETENTION = Duration.ofHours(5);

	private static final String FAILED = Failed.class.getName() + ": failed by the test";

	private static final PublisherSettings TRACKING = new PublisherSettings() {

		@Override
		public PublisherOptions options(String stream) {
			return new PublisherOptions(Trimming.NONE, true, RETENTION, Durability.NONE);
		}

	};

	private static final EntryHandler FAILING = (deliveries) -> {
		throw new Failed();
	};

	private static final EntryHandler NOTHING = (deliveries) -> {
	};

	private RedisServer server;

	private Containers containers;

	private LettuceStreamCommands commands;

	private StreamTemplate template;

	private StreamTasks tasks;

	@BeforeEach
	void open(RedisServer server) {
		this.server = server;
		this.containers = new Containers(server);
		this.commands = this.containers.commands();
		this.template = new DefaultStreamTemplate(this.commands, new EntryMessageConverter(JsonMapper.shared()),
				TRACKING, new PublishEvents() {
				});
		this.tasks = new RedisStreamTasks(this.commands, UnaryOperator.identity());
		server.command("XGROUP", "CREATE", "s", "g", "0", "MKSTREAM");
	}

	@AfterEach
	void close() {
		this.containers.close();
	}

	/**
	 * Send a task that goes by its entry's id.
	 */
	private String send() {
		return this.template.send("s", "x").getValue();
	}

	private List<String> send(int count) {
		return IntStream.range(0, count).mapToObj((n) -> send()).toList();
	}

	private StreamTask task(String id) {
		return this.tasks.find("s", id).orElseThrow();
	}

	private StreamTask awaitState(String id, TaskState state) {
		await().atMost(PATIENCE).untilAsserted(() -> assertThat(task(id).state()).isEqualTo(state));
		return task(id);
	}

	private void awaitNothingPending(String group) {
		await().atMost(PATIENCE).untilAsserted(() -> assertThat(this.server.pending("s", group)).isZero());
	}

	private long millisToLive(String id) {
		return this.server.integer("PTTL", "{s}:runs:" + id);
	}

	private void assertKept(String id) {
		assertThat(millisToLive(id)).isBetween(RETENTION.minusMinutes(5).toMillis(), RETENTION.toMillis());
	}

	private Instant serverTime() {
		List<Object> time = this.server.list("TIME");
		return Instant.ofEpochSecond(Long.parseLong((String) time.get(0)))
			.plus(Long.parseLong((String) time.get(1)) / 1000, TimeUnit.MILLISECONDS.toChronoUnit());
	}

	@Test
	void aTaskIsQueuedThenRunningAndThenCompleted() {
		Instant before = serverTime();
		String id = send();
		Instant sent = serverTime();
		StreamTask queued = task(id);
		assertThat(queued.queued()).isBetween(before, sent);
		assertThat(queued).isEqualTo(new StreamTask(id, TaskState.QUEUED, RecordId.of(id), 0, null, queued.queued(),
				null, null, null, null));
		Gate handler = new Gate();
		this.containers.start("me", handler);
		StreamTask running = awaitState(id, TaskState.RUNNING);
		assertThat(running.started()).isBetween(sent, serverTime());
		assertThat(running).isEqualTo(new StreamTask(id, TaskState.RUNNING, RecordId.of(id), 1, null, queued.queued(),
				running.started(), null, "me", null));
		assertThat(millisToLive(id)).as("kept while it is to be done").isGreaterThan(RETENTION.toMillis());
		handler.open();
		StreamTask completed = awaitState(id, TaskState.COMPLETED);
		assertThat(completed.finished()).isBetween(running.started(), serverTime());
		assertThat(completed).isEqualTo(new StreamTask(id, TaskState.COMPLETED, RecordId.of(id), 1, null,
				queued.queued(), running.started(), completed.finished(), "me", null));
		assertKept(id);
		assertThat(this.server.pending("s", "g")).isZero();
	}

	@Test
	void aTaskThatFailedIsQueuedWithItsErrorUntilAnotherAttemptCompletesIt() {
		String id = send();
		StreamListenerContainer failing = this.containers.start("me",
				(options) -> options
					.retry((retry) -> retry.initialInterval(Duration.ofHours(1)).maxInterval(Duration.ofHours(1))),
				FAILING);
		await().atMost(PATIENCE).untilAsserted(() -> {
			assertThat(task(id).error()).isEqualTo(FAILED);
			assertThat(task(id).state()).isEqualTo(TaskState.QUEUED);
			assertThat(task(id).attempts()).isEqualTo(1);
			assertThat(task(id).finished()).isNull();
		});
		failing.stop();
		assertThat(task(id).state()).isEqualTo(TaskState.QUEUED);
		this.containers.start("other",
				(options) -> options.minIdle(Duration.ofMillis(600)).claimInterval(Duration.ofMillis(100)), NOTHING);
		StreamTask completed = awaitState(id, TaskState.COMPLETED);
		assertThat(completed.attempts()).isEqualTo(2);
		assertThat(completed.consumer()).isEqualTo("other");
		assertThat(completed.error()).isEqualTo(FAILED);
	}

	@Test
	void aTaskIsDeadFromTheMomentThatItsDeadLetterIsThere() {
		List<String> ids = send(50);
		StreamListenerContainer container = this.containers.create("me",
				(options) -> options.maxDeliveries(1).circuit((circuit) -> circuit.enabled(false)), FAILING);
		container.start();
		String bothAtOnce = "local dead = 0 for i = 2, #KEYS do if redis.call('HGET', KEYS[i], 'state') == 'dead' then "
				+ "dead = dead + 1 end end return {redis.call('XLEN', KEYS[1]), dead}";
		String[] look = Stream
			.concat(Stream.of("EVAL", bothAtOnce, "51", "{s}:dlq"), ids.stream().map((id) -> "{s}:runs:" + id))
			.toArray(String[]::new);
		await().pollInterval(Duration.ofMillis(1)).atMost(PATIENCE).until(() -> {
			List<Object> letters = this.server.list(look);
			assertThat(letters.get(1)).as("tasks that are dead, and dead letters").isEqualTo(letters.get(0));
			return letters.get(0).equals(50L);
		});
		assertThat(ids).allSatisfy((id) -> {
			assertThat(task(id).error()).isEqualTo(FAILED);
			assertThat(task(id).attempts()).isEqualTo(1);
			assertThat(task(id).finished()).isNotNull();
			assertKept(id);
		});
	}

	@Test
	void aTaskWhoseHandlerFailedHasFailedWhereItIsAcknowledgedAlways() {
		String id = send();
		this.containers.start("me", (options) -> options.ackMode(AckMode.ALWAYS), FAILING);
		StreamTask failed = awaitState(id, TaskState.FAILED);
		assertThat(failed.error()).isEqualTo(FAILED);
		assertThat(failed.finished()).isNotNull();
		assertKept(id);
	}

	@Test
	void aTaskThatAFailureHandlerAcknowledgesHasFailed() {
		String id = send();
		this.containers.start("me", (options) -> options.failureHandler((failure) -> new Outcome.Ack()), FAILING);
		assertThat(awaitState(id, TaskState.FAILED).error()).isEqualTo(FAILED);
		awaitNothingPending("g");
	}

	@Test
	void aTaskThatIsAcknowledgedByHandIsRunningUntilThen() {
		String id = send();
		Recorder handler = new Recorder();
		StreamListenerContainer container = this.containers.start("me", (options) -> options.ackMode(AckMode.MANUAL),
				handler);
		await().atMost(PATIENCE).until(() -> handler.size() == 1);
		awaitState(id, TaskState.RUNNING);
		await().atMost(PATIENCE).until(() -> container.getInFlight() == 0);
		assertThat(task(id).state()).isEqualTo(TaskState.RUNNING);
		handler.deliveries().get(0).acknowledge();
		awaitState(id, TaskState.COMPLETED);
	}

	@Test
	void aTaskThatWasAcknowledgedByHandIsCompletedThoughItsHandlerFailsThen() {
		String id = send();
		this.containers.start("me", (deliveries) -> {
			deliveries.get(0).acknowledge();
			throw new Failed();
		});
		assertThat(awaitState(id, TaskState.COMPLETED).error()).isNull();
	}

	@Test
	void ofABatchEachTaskIsWhatHasBecomeOfIt() {
		List<String> ids = send(6);
		this.containers.start("me", (options) -> options.maxDeliveries(1).batchSize(6), new EntryHandler() {

			@Override
			public void handle(List<Delivery> deliveries) throws Exception {
				throw new EntriesFailedException(deliveries.stream()
					.map((delivery) -> delivery.entry().id())
					.filter((id) -> ids.indexOf(id.toString()) % 2 == 1)
					.collect(Collectors.toMap(Function.identity(), (id) -> new Failed())));
			}

			@Override
			public boolean isBatch() {
				return true;
			}

		});
		awaitNothingPending("g");
		for (int i = 0; i < 6; i++) {
			awaitState(ids.get(i), (i % 2 == 1) ? TaskState.DEAD : TaskState.COMPLETED);
			assertThat(task(ids.get(i)).error()).isEqualTo((i % 2 == 1) ? FAILED : null);
		}
	}

	@Test
	void aTaskOfAProcessThatDiesRunsUnderWhoeverClaimsIt() throws Exception {
		String id = send();
		try (WorkerProcess worker = CaseWorker.start(this.server.port(), "one", "hang", Duration.ofSeconds(1), 1)) {
			CaseWorker.awaitHandling(worker, 1);
			assertThat(awaitState(id, TaskState.RUNNING).consumer()).isEqualTo("one");
			worker.kill();
		}
		Instant died = serverTime();
		Gate handler = new Gate();
		this.containers.start("two",
				(options) -> options.minIdle(Duration.ofSeconds(1)).claimInterval(Duration.ofMillis(100)), handler);
		await().atMost(PATIENCE).untilAsserted(() -> assertThat(task(id).consumer()).isEqualTo("two"));
		StreamTask running = task(id);
		assertThat(running.state()).isEqualTo(TaskState.RUNNING);
		assertThat(running.attempts()).isEqualTo(2);
		assertThat(running.started()).isAfterOrEqualTo(died);
		handler.open();
		awaitState(id, TaskState.COMPLETED);
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "order-7" })
	void aDeadTaskIsQueuedOnceItIsRedrivenAndThenCompleted(String key) {
		String first = this.template.send("s", "x", key.isEmpty() ? Map.of() : Map.of(StreamHeaders.TASK_KEY, key))
			.getValue();
		String id = key.isEmpty() ? first : key;
		Recorder failing = new Recorder();
		StreamListenerContainer container = this.containers.start("me", (options) -> options.maxDeliveries(1),
				(deliveries) -> {
					failing.handle(deliveries);
					throw new Failed();
				});
		assertThat(awaitState(id, TaskState.DEAD).entry()).isEqualTo(RecordId.of(first));
		container.stop();
		DeadLetters deadLetters = new RedisDeadLetters(this.commands, (name) -> new DeadLetterStreams("s", "{s}:dlq"));
		RecordId second = Objects
			.requireNonNull(deadLetters.redrive("s", Redrive.builder().build()).entries().get(0).id());
		StreamTask queued = task(id);
		assertThat(queued.state()).isEqualTo(TaskState.QUEUED);
		assertThat(queued.entry()).isEqualTo(second).isNotEqualTo(RecordId.of(first));
		assertThat(queued.finished()).isNull();
		assertThat(millisToLive(id)).isGreaterThan(RETENTION.toMillis());
		Recorder succeeding = new Recorder();
		this.containers.start("me", succeeding);
		assertThat(awaitState(id, TaskState.COMPLETED).entry()).isEqualTo(second);
		assertKept(id);
		assertThat(Stream.of(failing, succeeding))
			.allSatisfy((handler) -> assertThat(handler.deliveries()).singleElement()
				.satisfies((delivery) -> assertThat(delivery.entry().taskId()).isEqualTo(id)));
		assertThat(this.server.list("KEYS", "{s}:runs:*")).as("no other record").hasSize(1);
	}

	@Test
	void aTaskWhoseEntryIsDeletedOnSuccessIsCompleted() {
		String id = send();
		this.containers.start("me", (options) -> options.onSuccess(OnSuccess.DELETE), NOTHING);
		awaitState(id, TaskState.COMPLETED);
		assertThat(this.server.length("s")).isZero();
		assertKept(id);
	}

	@Test
	void aTaskOfTwoGroupsIsCompletedOnceBothAreDone() {
		this.server.command("XGROUP", "CREATE", "s", "h", "0");
		String id = send();
		Gate other = new Gate();
		this.containers.start("h-1", (options) -> options.group("h"), other);
		await().atMost(PATIENCE).until(() -> other.size() == 1);
		StreamListenerContainer first = this.containers.start("g-1", NOTHING);
		await().atMost(PATIENCE).until(() -> first.getCounters().acknowledged() == 1);
		awaitState(id, TaskState.RUNNING);
		other.open();
		assertThat(awaitState(id, TaskState.COMPLETED).consumer()).isEqualTo("h-1");
	}

	@Test
	void aTaskThatAnotherGroupHasStillToBeGivenIsNotCompleted() {
		this.server.command("XGROUP", "CREATE", "s", "h", "0");
		String id = send();
		StreamListenerContainer container = this.containers.start("g-1", NOTHING);
		await().atMost(PATIENCE).until(() -> container.getCounters().acknowledged() == 1);
		awaitState(id, TaskState.RUNNING);
		assertThat(millisToLive(id)).isGreaterThan(RETENTION.toMillis());
		this.containers.start("h-1", (options) -> options.group("h"), NOTHING);
		awaitState(id, TaskState.COMPLETED);
	}

	@Test
	void ofABatchWithOtherEntriesAllAreAcknowledged() {
		List<String> ids = new ArrayList<>();
		for (int i = 0; i < 50; i++) {
			ids.add(send());
			this.server.add("s", "n", Integer.toString(i));
		}
		StreamListenerContainer container = this.containers.start("me", NOTHING);
		await().atMost(PATIENCE).until(() -> container.getCounters().acknowledged() == 100);
		assertThat(this.server.pending("s", "g")).isZero();
		assertThat(ids).allSatisfy((id) -> assertThat(task(id).state()).isEqualTo(TaskState.COMPLETED));
		assertThat(this.server.list("KEYS", "{s}:runs:*")).hasSize(50);
	}

	@Test
	void tasksWhoseAcknowledgementsWereRefusedForAWhileAreCompletedThen() {
		List<String> ids = send(20);
		IntStream.range(0, 20).forEach((n) -> this.server.add("s", "n", Integer.toString(n)));
		Recorder handler = new Recorder();
		try (ErrorProxy proxy = new ErrorProxy(this.server.port());
				Containers behindProxy = new Containers(proxy.port())) {
			proxy.refuse("MISCONF no", "XACK", "EVALSHA", "EVAL");
			StreamListenerContainer container = behindProxy.start("me", handler);
			await().atMost(PATIENCE).until(() -> handler.size() == 40);
			await().atMost(PATIENCE).until(() -> container.getStatus().lastError() != null);
			assertThat(ids).allSatisfy((id) -> assertThat(task(id).state()).isEqualTo(TaskState.QUEUED));
			proxy.heal();
			await().atMost(PATIENCE).until(() -> container.getInFlight() == 0);
		}
		assertThat(this.server.pending("s", "g")).isZero();
		assertThat(handler.ids()).doesNotHaveDuplicates();
		assertThat(ids).allSatisfy((id) -> {
			StreamTask task = task(id);
			assertThat(task.state()).isEqualTo(TaskState.COMPLETED);
			assertThat(task.attempts()).isEqualTo(1);
			assertThat(task.consumer()).isEqualTo("me");
			assertThat(task.started()).as("not known better").isEqualTo(task.finished());
		});
	}

	@Test
	void entriesThatAreNoTasksCostNoCommandMore() {
		this.server.addPipelined("s", 200);
		this.server.command("CONFIG", "RESETSTAT");
		StreamListenerContainer container = this.containers.start("me", NOTHING);
		await().atMost(PATIENCE).until(() -> container.getCounters().acknowledged() == 200);
		assertThat(Stream.of("evalsha", "eval", "hset", "hmget", "hgetall"))
			.allSatisfy((command) -> assertThat(this.server.commandStat(command)).isEmpty());
	}

	@Test
	void aTaskWhoseRecordIsGoneIsHandledAndAcknowledged() {
		String id = send();
		String dead = send();
		this.server.command("DEL", "{s}:runs:" + id, "{s}:runs:" + dead);
		this.containers.start("me", (options) -> options.maxDeliveries(1), (deliveries) -> {
			if (deliveries.get(0).entry().id().toString().equals(dead)) {
				throw new Failed();
			}
		});
		await().atMost(PATIENCE).until(() -> this.server.length("{s}:dlq") == 1);
		awaitNothingPending("g");
		assertThat(this.server.list("KEYS", "{s}:runs:*")).isEmpty();
	}

	@Test
	void aTaskThatWasTrimmedWhileItWasHandledIsCompleted() {
		String id = send();
		Gate handler = new Gate();
		this.containers.start("me", handler);
		awaitState(id, TaskState.RUNNING);
		this.server.command("XTRIM", "s", "MAXLEN", "0");
		// It leaves the pending list under the handler
		this.server.command("XAUTOCLAIM", "s", "g", "other", "0", "0");
		this.server.command("XACK", "s", "g", id);
		handler.open();
		awaitState(id, TaskState.COMPLETED);
		assertKept(id);
	}

	@Test
	void aTaskThatIsToBeDeliveredToAGroupThatWasCreatedAnewIsNotCompleted() {
		String id = send();
		this.server.deliver("s", "g", "me", 1);
		this.server.command("XGROUP", "DESTROY", "s", "g");
		this.server.command("XGROUP", "CREATE", "s", "g", "0");
		TaskAttempt done = new TaskAttempt(EntryId.parse(id), id, TaskState.COMPLETED, 1, "");
		StreamConsumer consumer = new StreamConsumer("s", "g", "me");
		assertThat(this.commands.tasks().finish(consumer, List.of(done), false).toCompletableFuture().join()).isZero();
		assertThat(task(id).state()).isEqualTo(TaskState.QUEUED);
	}

	/**
	 * With handlers that fail, consumers that are robbed, connections that are lost and
	 * containers that are stopped and started.
	 */
	@Test
	void neverLiesAboutATaskThatIsDone() {
		Random random = new Random();
		Set<String> succeeded = ConcurrentHashMap.newKeySet();
		List<String> ids = new ArrayList<>();
		try (TcpProxy proxy = new TcpProxy(this.server.port()); Containers behindProxy = new Containers(proxy.port())) {
			List<StreamListenerContainer> running = IntStream.range(0, 3)
				.mapToObj((n) -> behindProxy.start("me-" + n, TaskTrackingTests::restless,
						(deliveries) -> handleSomehow(deliveries.get(0), succeeded)))
				.toList();
			for (int round = 0; round < 40; round++) {
				for (int i = 0; i < 15; i++) {
					ids.add((i % 3 == 0) ? sendWithKey("task-" + ids.size()) : send());
				}
				disturb(round, random, proxy, running.get(random.nextInt(3)));
			}
			running.forEach((container) -> container.start().join());
			await().atMost(PATIENCE).until(this::isAllDelivered);
			awaitNothingPending("g");
		}
		Set<String> dead = deadTasks();
		assertThat(dead).isNotEmpty().hasSizeLessThan(ids.size());
		assertThat(ids).allSatisfy((id) -> {
			Map<String, String> record = rawRecord(id);
			assertThat(record.get("state")).isEqualTo(dead.contains(id) ? "dead" : "completed");
			assertThat(dead.contains(id) || succeeded.contains(id)).as("handled").isTrue();
			assertThat(Long.parseLong(record.getOrDefault("attempts", "0"))).isBetween(1L, 10L);
			assertThat(Long.parseLong(record.getOrDefault("started", "0"))).isPositive()
				.isLessThanOrEqualTo(Long.parseLong(record.getOrDefault("finished", "0")));
			assertKept(id);
		});
		assertThat(this.server.length("{s}:dlq")).as("each dead letter once").isEqualTo(dead.size());
	}

	private String sendWithKey(String key) {
		this.template.send("s", "x", Map.of(StreamHeaders.TASK_KEY, key));
		return key;
	}

	private static Builder restless(Builder options) {
		return options.minIdle(Duration.ofMillis(600))
			.claimInterval(Duration.ofMillis(100))
			.shutdownTimeout(Duration.ofMillis(10))
			.concurrency(4)
			.maxDeliveries(4)
			.retry((retry) -> retry.initialInterval(Duration.ofMillis(10)).maxInterval(Duration.ofMillis(50)))
			.circuit((circuit) -> circuit.enabled(false));
	}

	private static void handleSomehow(Delivery delivery, Set<String> succeeded) throws Exception {
		Random random = new Random();
		TimeUnit.MILLISECONDS.sleep(random.nextInt(30));
		switch (random.nextInt(10)) {
			case 0 -> throw new DeadLetterException("no use");
			case 1, 2, 3 -> throw new Failed();
			default -> succeeded.add(String.valueOf(delivery.entry().taskId()));
		}
	}

	private void disturb(int round, Random random, TcpProxy proxy, StreamListenerContainer container) {
		switch (round % 5) {
			case 0 -> this.server.pendingEntries("s", "g")
				.keySet()
				.stream()
				.filter((id) -> random.nextInt(3) == 0)
				.forEach((id) -> this.server.command("XCLAIM", "s", "g", "thief", "0", id, "JUSTID"));
			case 1 -> proxy.cutConnections();
			case 2 -> container.stop();
			case 3 -> container.start();
			default -> {
				int acknowledged = (int) container.getCounters().acknowledged();
				await().atMost(PATIENCE)
					.until(() -> container.getCounters().acknowledged() > acknowledged || container.getInFlight() == 0);
			}
		}
	}

	private boolean isAllDelivered() {
		List<?> group = (List<?>) this.server.list("XINFO", "GROUPS", "s").get(0);
		List<?> last = (List<?>) this.server.list("XREVRANGE", "s", "+", "-", "COUNT", "1").get(0);
		return group.contains(last.get(0));
	}

	private Set<String> deadTasks() {
		Set<String> dead = ConcurrentHashMap.newKeySet();
		for (Object letter : this.server.list("XRANGE", "{s}:dlq", "-", "+")) {
			List<?> fields = (List<?>) ((List<?>) letter).get(1);
			dead.add((String) fields.get(fields.indexOf("redis_task") + 1));
		}
		return dead;
	}

	private Map<String, String> rawRecord(String id) {
		Map<String, String> record = new HashMap<>();
		List<Object> reply = this.server.list("HGETALL", "{s}:runs:" + id);
		for (int i = 0; i < reply.size(); i += 2) {
			record.put((String) reply.get(i), (String) reply.get(i + 1));
		}
		return record;
	}

}
