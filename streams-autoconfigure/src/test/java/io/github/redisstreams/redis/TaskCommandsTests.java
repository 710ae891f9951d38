package io.github.redisstreams.redis;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

import io.github.redisstreams.redis.NewEntry.IdempotencyKey;
import io.github.redisstreams.redis.ServerInfo.Capability;
import io.github.redisstreams.test.RealRedis;
import io.github.redisstreams.test.RedisServer;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.protocol.ProtocolVersion;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static io.github.redisstreams.redis.Publishing.fields;
import static io.github.redisstreams.redis.Publishing.get;
import static io.github.redisstreams.redis.Publishing.plain;
import static io.github.redisstreams.redis.Publishing.task;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * Records of tasks, and what is refused for them.
 */
@Tag("core")
@RealRedis
class TaskCommandsTests extends PublishingFixture {

	private static final Duration DAY = Duration.ofDays(1);

	private static final Duration WEEK = Duration.ofDays(7);

	private static final String RECORD = "{s}:runs:t";

	private EntryId send() {
		return this.publishing.id(task("s", "t", DAY));
	}

	private EntryId delivered() {
		return delivered(DAY);
	}

	private EntryId delivered(Duration retention) {
		EntryId id = this.publishing.id(task("s", "t", retention));
		createGroup("g");
		assertThat(this.redis.deliver("s", "g", "c", 10)).contains(id.toString());
		return id;
	}

	private void createGroup(String group) {
		this.publishing.commands.createGroup("s", group, "0");
	}

	private void note(EntryId entry, TaskState state, long deliveries, String error) {
		get(this.publishing.commands.tasks()
			.note(new StreamConsumer("s", "g", "c"), List.of(new TaskAttempt(entry, "t", state, deliveries, error))));
	}

	private long finish(String group, EntryId entry, TaskState state, boolean delete) {
		String error = (state == TaskState.FAILED) ? "broken" : "";
		return get(this.publishing.commands.tasks()
			.finish(new StreamConsumer("s", group, "c"), List.of(new TaskAttempt(entry, "t", state, 3, error)),
					delete));
	}

	private boolean moveToDeadLetters(EntryId entry) {
		return get(
				this.publishing.commands.deadLetter(new DeadLetter(new StreamConsumer("s", "g", "c"), entry, "{s}:dlq",
						100, fields("n", "1"), true, false, new TaskAttempt(entry, "t", TaskState.DEAD, 5, "poison"))))
			.moved();
	}

	private StreamTask found() {
		return this.publishing.find("s", "t").orElseThrow();
	}

	private void assertRefusedAs(TaskState state) {
		long length = this.redis.length("s");
		assertThat(this.publishing.add(task("s", "t", DAY))).isEqualTo(new Added(null, null, state, 0));
		assertThat(this.publishing.scheduleInAnHour(task("s", "t", DAY), "t"))
			.isEqualTo(new Added(null, null, state, 0));
		assertThat(this.publishing.schedule(task("s", "t", DAY), "t", DueTime.after(Duration.ZERO)))
			.isEqualTo(new Added(null, null, state, 0));
		assertThat(this.redis.length("s")).isEqualTo(length);
		assertThat(this.publishing.state("s", "t")).isEqualTo(state);
	}

	@Test
	void refusesATaskThatIsQueuedOrRunning() {
		EntryId entry = delivered();
		assertRefusedAs(TaskState.QUEUED);
		note(entry, TaskState.RUNNING, 1, "");
		assertRefusedAs(TaskState.RUNNING);
		note(entry, TaskState.QUEUED, 1, "not yet");
		assertRefusedAs(TaskState.QUEUED);
	}

	@Test
	void refusesATaskThatIsScheduled() {
		this.publishing.scheduleInAnHour(task("s", "t", DAY), "t");
		assertRefusedAs(TaskState.SCHEDULED);
		this.publishing.makeDue("s", "t");
		assertRefusedAs(TaskState.SCHEDULED);
		this.publishing.promote("s");
		assertRefusedAs(TaskState.QUEUED);
	}

	@Test
	void takesATaskWithAnotherIdOrInAnotherStreamOrWithNone() {
		send();
		assertThat(this.publishing.add(task("s", "other", DAY)).refusedAs()).isNull();
		assertThat(this.publishing.add(task("other", "t", DAY)).refusedAs()).isNull();
		assertThat(this.publishing.add(task("s", null, DAY)).refusedAs()).isNull();
		assertThat(this.publishing.add(task("s", null, DAY)).refusedAs()).isNull();
		assertThat(this.publishing.add(plain("s", "n", "1")).refusedAs()).isNull();
	}

	@ParameterizedTest
	@EnumSource(value = TaskState.class, names = { "COMPLETED", "FAILED" })
	void takesATaskAgainOnceItIsFinished(TaskState state) {
		assertThat(finish("g", delivered(), state, false)).isEqualTo(1);
		assertThat(this.publishing.state("s", "t")).isEqualTo(state);
		assertBeginsAnew();
	}

	@Test
	void takesATaskAgainOnceItIsADeadLetter() {
		assertThat(moveToDeadLetters(delivered())).isTrue();
		assertThat(found()).satisfies((task) -> {
			assertThat(task.state()).isEqualTo(TaskState.DEAD);
			assertThat(task.attempts()).isEqualTo(5);
			assertThat(task.error()).isEqualTo("poison");
		});
		assertThat(this.redis.integer("PTTL", RECORD)).isPositive();
		assertBeginsAnew();
	}

	private void assertBeginsAnew() {
		EntryId again = send();
		StreamTask task = found();
		assertThat(task.state()).isEqualTo(TaskState.QUEUED);
		assertThat(task.entry()).isEqualTo(again.toRecordId());
		assertThat(task.attempts()).isZero();
		assertThat(task.error()).isNull();
		assertThat(task.finished()).isNull();
		assertThat(this.redis.integer("PTTL", RECORD)).as("kept until it is done").isGreaterThan(WEEK.toMillis());
	}

	static List<Consumer<RedisServer>> losses() {
		return List.of((redis) -> redis.command("XTRIM", "s", "MAXLEN", "0"), (redis) -> redis.command("DEL", "s"),
				(redis) -> redis.command("XDEL", "s", redis.text("HGET", RECORD, "entry")),
				(redis) -> redis.command("DEL", RECORD));
	}

	@Test
	void takesATaskAgainWhoseEntryOrRecordIsGone() {
		for (Consumer<RedisServer> loss : losses()) {
			EntryId entry = delivered();
			note(entry, TaskState.RUNNING, 1, "");
			loss.accept(this.redis);
			assertBeginsAnew();
			this.redis.command("FLUSHALL");
		}
	}

	@Test
	void takesATaskAgainThatWasToBeScheduledButIsNotAnyMore() {
		this.publishing.scheduleInAnHour(task("s", "t", DAY), "t");
		this.redis.command("DEL", "{s}:delayed");
		assertBeginsAnew();
	}

	@Test
	void namesATaskWithoutIdByItsEntry() {
		EntryId entry = this.publishing.id(task("s", null, DAY));
		StreamTask task = this.publishing.find("s", entry.toString()).orElseThrow();
		assertThat(task.entry()).isEqualTo(entry.toRecordId());
		assertThat(this.redis.list("XRANGE", "s", "-", "+"))
			.containsExactly(List.of(entry.toString(), List.of("n", "task", NewTask.FIELD, NewTask.OWN_ID)));
	}

	@Test
	void tellsHowATaskGoes() {
		assertThat(this.publishing.find("s", "t")).isEmpty();
		Instant before = now();
		EntryId entry = delivered();
		assertThat(found()).satisfies((task) -> {
			assertThat(task.queued()).isBetween(before, now());
			assertThat(task.scheduledFor()).isNull();
			assertThat(task.started()).isNull();
			assertThat(task.consumer()).isNull();
		});
		note(entry, TaskState.RUNNING, 2, "");
		note(entry, TaskState.QUEUED, 2, "größer als erwartet");
		assertThat(found()).satisfies((task) -> {
			assertThat(task.attempts()).isEqualTo(2);
			assertThat(task.error()).isEqualTo("größer als erwartet");
			assertThat(task.consumer()).isEqualTo("c");
			assertThat(task.started()).isBetween(before, now());
		});
		finish("g", entry, TaskState.FAILED, false);
		assertThat(found()).satisfies((task) -> {
			assertThat(task.state()).isEqualTo(TaskState.FAILED);
			assertThat(task.attempts()).isEqualTo(3);
			assertThat(task.error()).isEqualTo("broken");
			assertThat(task.finished()).isBetween(before, now());
		});
	}

	private Instant now() {
		List<Object> time = this.redis.list("TIME");
		return Instant
			.ofEpochMilli(Long.parseLong((String) time.get(0)) * 1000 + Long.parseLong((String) time.get(1)) / 1000);
	}

	@Test
	void knowsWhenATaskWasStartedThoughThatWasNotNoted() {
		finish("g", delivered(), TaskState.COMPLETED, false);
		assertThat(found()).satisfies((task) -> assertThat(task.started()).isEqualTo(task.finished()));
	}

	@ParameterizedTest
	@EnumSource(ProtocolVersion.class)
	void isFoundInEitherProtocol(ProtocolVersion protocol) {
		EntryId entry = send();
		try (Publishing other = Publishing.to(this.redis.port(),
				(client) -> client.clientOptions(ClientOptions.builder().protocolVersion(protocol).build()))) {
			assertThat(other.find("s", "t")).map(StreamTask::entry).contains(entry.toRecordId());
			assertThat(other.find("s", "other")).isEmpty();
		}
	}

	@Test
	void keepsTheRecordForAsLongAsItIsToOnceItIsDoneAndNotBefore() {
		EntryId entry = delivered(Duration.ofMillis(90_000));
		note(entry, TaskState.RUNNING, 1, "");
		assertThat(this.redis.integer("PTTL", RECORD)).isGreaterThan(WEEK.toMillis());
		finish("g", entry, TaskState.COMPLETED, false);
		assertThat(this.redis.integer("PTTL", RECORD)).isCloseTo(90_000, within(60_000L)).isLessThanOrEqualTo(90_000);
	}

	@Test
	void keepsNoRecordOfATaskThatIsDoneIfItIsToKeepNone() {
		EntryId entry = delivered(Duration.ZERO);
		assertRefusedAs(TaskState.QUEUED);
		finish("g", entry, TaskState.COMPLETED, false);
		assertThat(this.redis.integer("EXISTS", RECORD)).isZero();
	}

	@ParameterizedTest
	@EnumSource(value = TaskState.class, names = { "COMPLETED", "FAILED", "DEAD" })
	void neverNotesAnythingAboutATaskThatIsDone(TaskState state) {
		EntryId entry = delivered();
		if (state == TaskState.DEAD) {
			moveToDeadLetters(entry);
		}
		else {
			finish("g", entry, state, false);
		}
		Optional<StreamTask> done = this.publishing.find("s", "t");
		note(entry, TaskState.RUNNING, 7, "");
		note(entry, TaskState.QUEUED, 7, "late");
		finish("g", entry, TaskState.COMPLETED, false);
		assertThat(this.publishing.find("s", "t")).isEqualTo(done);
	}

	@Test
	void neverNotesAnythingAboutAnEntryThatIsNotTheTasksAnyMore() {
		EntryId first = delivered();
		finish("g", first, TaskState.COMPLETED, false);
		EntryId second = send();
		note(first, TaskState.RUNNING, 7, "");
		assertThat(found()).satisfies((task) -> {
			assertThat(task.entry()).isEqualTo(second.toRecordId());
			assertThat(task.state()).isEqualTo(TaskState.QUEUED);
			assertThat(task.attempts()).isZero();
		});
	}

	@Test
	void neverBeginsARecordWhileATaskIsHandled() {
		EntryId entry = delivered();
		this.redis.command("DEL", RECORD);
		note(entry, TaskState.RUNNING, 1, "");
		finish("g", entry, TaskState.COMPLETED, false);
		assertThat(this.redis.integer("EXISTS", RECORD)).isZero();
	}

	@Test
	void endsATaskWhoseEntryAnotherHasAcknowledged() {
		EntryId entry = delivered();
		note(entry, TaskState.RUNNING, 1, "");
		this.redis.command("XACK", "s", "g", entry.toString());
		assertThat(finish("g", entry, TaskState.COMPLETED, false)).isZero();
		assertThat(this.publishing.state("s", "t")).isEqualTo(TaskState.COMPLETED);
	}

	@Test
	void isCompletedOnceTheSecondOfTwoGroupsIsDone() {
		EntryId entry = delivered();
		createGroup("behind");
		assertThat(finish("g", entry, TaskState.COMPLETED, true)).isEqualTo(1);
		assertThat(this.publishing.state("s", "t")).isEqualTo(TaskState.QUEUED);
		assertThat(this.redis.length("s")).isEqualTo(1);
		this.redis.deliver("s", "behind", "c", 1);
		note(entry, TaskState.RUNNING, 1, "");
		assertRefusedAs(TaskState.RUNNING);
		assertThat(finish("behind", entry, TaskState.COMPLETED, true)).isEqualTo(1);
		assertThat(this.publishing.state("s", "t")).isEqualTo(TaskState.COMPLETED);
		assertThat(this.redis.length("s")).isZero();
	}

	@Test
	void acknowledgesAndFinishesManyTasksAtOnce() {
		List<TaskAttempt> tasks = new ArrayList<>();
		for (int i = 0; i < 300; i++) {
			EntryId entry = this.publishing.id(task("s", "many-" + i, DAY));
			tasks.add(new TaskAttempt(entry, "many-" + i, TaskState.COMPLETED, 1, ""));
		}
		createGroup("g");
		this.redis.deliver("s", "g", "c", 300);
		tasks.subList(200, 300).forEach((task) -> this.redis.command("XACK", "s", "g", task.entry().toString()));
		assertThat(get(this.publishing.commands.tasks().finish(new StreamConsumer("s", "g", "c"), tasks, true)))
			.isEqualTo(200);
		assertThat(this.publishing.state("s", "many-199")).isEqualTo(TaskState.COMPLETED);
		assertThat(this.publishing.state("s", "many-200")).isEqualTo(TaskState.COMPLETED);
		assertThat(this.redis.pending("s", "g")).isZero();
		assertThat(this.redis.length("s")).isZero();
	}

	@Test
	void isQueuedAgainWhenItsDeadLetterIsRedriven() {
		moveToDeadLetters(delivered());
		EntryId letter = EntryId
			.parse((String) ((List<?>) this.redis.list("XRANGE", "{s}:dlq", "-", "+").get(0)).get(0));
		Optional<EntryId> entry = get(
				this.publishing.commands.redrive("{s}:dlq", letter, "s", fields("n", "1", NewTask.FIELD, "t"), "t"));
		assertThat(found()).satisfies((task) -> {
			assertThat(task.state()).isEqualTo(TaskState.QUEUED);
			assertThat(task.entry()).isEqualTo(entry.orElseThrow().toRecordId());
			assertThat(task.finished()).isNull();
		});
		assertThat(this.redis.integer("PTTL", RECORD)).isGreaterThan(WEEK.toMillis());
		assertRefusedAs(TaskState.QUEUED);
		this.redis.deliver("s", "g", "c", 1);
		finish("g", entry.orElseThrow(), TaskState.COMPLETED, false);
		assertThat(this.redis.integer("PTTL", RECORD)).isPositive().isLessThanOrEqualTo(DAY.toMillis());
	}

	@Test
	void addsATaskOnceThatTheServerKnowsFromBefore() {
		assumeTrue(this.publishing.commands.serverInfo().has(Capability.IDEMPOTENT_ADD),
				"The server knows no XADD ... IDMP");
		NewEntry entry = new NewEntry("s", fields("n", "1"), Trimming.NONE, new NewTask(null, DAY),
				new IdempotencyKey("billing", "order-7"));
		EntryId id = this.publishing.id(entry);
		createGroup("g");
		this.redis.deliver("s", "g", "c", 1);
		TaskAttempt done = new TaskAttempt(id, id.toString(), TaskState.COMPLETED, 1, "");
		get(this.publishing.commands.tasks().finish(new StreamConsumer("s", "g", "c"), List.of(done), false));
		assertThat(this.publishing.id(entry)).isEqualTo(id);
		assertThat(this.publishing.state("s", id.toString())).isEqualTo(TaskState.COMPLETED);
		this.redis.command("DEL", StreamKeys.task("s", id.toString()));
		assertThat(this.publishing.id(entry)).isEqualTo(id);
		assertThat(this.publishing.state("s", id.toString())).as("its record has run out").isNull();
		assertThat(this.redis.length("s")).isEqualTo(1);
	}

	@Test
	void acknowledgesAllTheSameWhereTheUserMayNotKeepRecords() {
		EntryId entry = delivered();
		try (Publishing restricted = Publishing.asUser(this.redis, "-hset", "-hmget", "-pexpire", "-del", "-time")) {
			get(restricted.commands.tasks()
				.note(new StreamConsumer("s", "g", "c"),
						List.of(new TaskAttempt(entry, "t", TaskState.RUNNING, 1, ""))));
			assertThat(get(restricted.commands.tasks()
				.finish(new StreamConsumer("s", "g", "c"),
						List.of(new TaskAttempt(entry, "t", TaskState.COMPLETED, 1, "")), false)))
				.isEqualTo(1);
		}
		assertThat(this.redis.pending("s", "g")).isZero();
		assertThat(this.publishing.state("s", "t")).isEqualTo(TaskState.QUEUED);
	}

	@Test
	void tellsNoTimesWhereTheUserMayNotAskForThem() {
		try (Publishing restricted = Publishing.asUser(this.redis, "-time")) {
			EntryId entry = restricted.id(task("s", "t", DAY));
			createGroup("g");
			this.redis.deliver("s", "g", "c", 1);
			get(restricted.commands.tasks()
				.finish(new StreamConsumer("s", "g", "c"),
						List.of(new TaskAttempt(entry, "t", TaskState.COMPLETED, 1, "")), false));
		}
		assertThat(found()).satisfies((task) -> {
			assertThat(task.state()).isEqualTo(TaskState.COMPLETED);
			assertThat(task.queued()).isNull();
			assertThat(task.finished()).isNull();
		});
	}

}
