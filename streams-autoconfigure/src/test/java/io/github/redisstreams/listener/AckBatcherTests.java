package io.github.redisstreams.listener;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import io.github.redisstreams.listener.RecordingCommands.Ack;
import io.github.redisstreams.redis.EntryId;
import io.github.redisstreams.redis.TaskAttempt;
import io.github.redisstreams.redis.TaskState;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.mockito.ArgumentCaptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.Mockito.atLeast;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;

class AckBatcherTests {

	private static final Duration PATIENCE = Duration.ofSeconds(10);

	private final ListenerOptions options = ListenerOptions.builder()
		.stream("s")
		.group("g")
		.consumer("c")
		.build("id", "test");

	private final RecordingCommands commands = new RecordingCommands();

	private final InFlightLimiter limiter = new InFlightLimiter(this.options, false);

	private final ScheduledExecutorService timer = mock();

	private final AckBatcher batcher = new AckBatcher(this.commands, this.options, this.limiter,
			new ContainerCounters(), this.timer);

	private final List<Runnable> executed = new ArrayList<>();

	private int timersRun;

	@BeforeEach
	void takeWhatTheTimerIsToExecute() {
		doAnswer((call) -> this.executed.add(call.getArgument(0))).when(this.timer).execute(any());
	}

	private void runExecuted() {
		List<Runnable> tasks = List.copyOf(this.executed);
		this.executed.clear();
		tasks.forEach(Runnable::run);
	}

	private List<EntryId> add(int count) {
		List<EntryId> ids = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			EntryId id = new EntryId(System.nanoTime(), i);
			ids.add(id);
			this.limiter.hold(id);
			this.batcher.add(id, null);
			runExecuted();
		}
		return ids;
	}

	/**
	 * The delays of the timers set so far, in milliseconds.
	 */
	private List<Long> timers() {
		ArgumentCaptor<Long> delays = ArgumentCaptor.captor();
		verify(this.timer, atLeast(0)).schedule(ArgumentCaptor.<Runnable>captor().capture(), delays.capture(),
				eq(TimeUnit.MILLISECONDS));
		return delays.getAllValues();
	}

	private void runNextTimer() {
		ArgumentCaptor<Runnable> tasks = ArgumentCaptor.captor();
		verify(this.timer, atLeast(1)).schedule(tasks.capture(), anyLong(), eq(TimeUnit.MILLISECONDS));
		tasks.getAllValues().get(this.timersRun++).run();
	}

	@Test
	void sendsAsSoonAsThereAreEnough() {
		List<EntryId> ids = add(99);
		assertThat(this.commands.acks).isEmpty();
		ids.addAll(add(1));
		assertThat(this.commands.acks).singleElement().satisfies((ack) -> {
			assertThat(ack.stream()).isEqualTo("s");
			assertThat(ack.group()).isEqualTo("g");
			assertThat(ack.ids()).isEqualTo(ids);
		});
	}

	@Test
	void neverSendsOnTheThreadThatAcknowledges() {
		for (int i = 0; i < 150; i++) {
			this.batcher.add(new EntryId(1, i), null);
		}
		assertThat(this.commands.acks).isEmpty();
		assertThat(this.executed).hasSize(1);
		runExecuted();
		assertThat(this.commands.last().ids()).hasSize(150);
	}

	@Test
	void waitsItsTurnThoughMoreComesWhileItIsRefused() {
		add(1);
		runNextTimer();
		add(1);
		this.commands.last().refuse();
		runNextTimer();
		assertThat(this.commands.acks).as("the timer of the second").hasSize(1);
		runNextTimer();
		assertThat(this.commands.acks).as("the retry").hasSize(2);
		assertThat(timers()).containsSubsequence(5L, 5L).hasSize(3);
	}

	@Test
	void sendsAFewWhenAFewMillisecondsHavePassed() {
		List<EntryId> ids = add(3);
		assertThat(this.commands.acks).isEmpty();
		assertThat(timers()).containsExactly(5L);
		runNextTimer();
		assertThat(this.commands.acks).extracting(Ack::ids).containsExactly(ids);
		add(1);
		assertThat(timers()).containsExactly(5L, 5L);
	}

	@Test
	void sendsAtOnceWhenFlushed() {
		List<EntryId> ids = add(2);
		this.batcher.flush();
		assertThat(this.commands.acks).extracting(Ack::ids).containsExactly(ids);
		this.batcher.flush();
		assertThat(this.commands.acks).hasSize(1);
	}

	@Test
	void sendsAtOnceWhenTheWorkersRunDry() {
		List<EntryId> ids = add(2);
		this.batcher.ranDry();
		assertThat(this.commands.acks).extracting(Ack::ids).containsExactly(ids);
	}

	@Test
	void sendsNotForEachEntryWhereTheWorkersRunDryAfterEach() {
		int count = 0;
		// So many in a few milliseconds on any machine
		while (count < 10_000) {
			add(1);
			this.batcher.ranDry();
			count++;
		}
		assertThat(this.commands.acks).hasSizeLessThan(5000);
		this.batcher.flush();
		assertThat(this.commands.acknowledged()).hasSize(count);
	}

	@Test
	void sendsSoonerWhereSoManyNeverComeTogether() {
		ListenerOptions few = ListenerOptions.builder()
			.stream("s")
			.group("g")
			.consumer("c")
			.batchSize(3)
			.build("id", "test");
		AckBatcher batcher = new AckBatcher(this.commands, few, this.limiter, new ContainerCounters(), this.timer);
		for (int i = 1; i <= 7; i++) {
			batcher.add(new EntryId(1, i), null);
			runExecuted();
		}
		assertThat(this.commands.acks).extracting((ack) -> ack.ids().size()).containsExactly(3, 3);
	}

	@Test
	void doesNotWaitForOneReplyBeforeItSendsTheNext() {
		add(250);
		this.batcher.flush();
		assertThat(this.commands.acks).extracting((ack) -> ack.ids().size()).containsExactly(100, 100, 50);
	}

	@Test
	void holdsEntriesUntilTheyAreConfirmed() {
		add(2);
		this.batcher.flush();
		assertThat(this.limiter.inFlight()).isEqualTo(2);
		this.commands.last().confirm();
		assertThat(this.limiter.inFlight()).isZero();
	}

	@Test
	void takesNothingPendingForNoError() {
		add(2);
		this.batcher.flush();
		this.commands.last().reply().complete(0L);
		assertThat(this.limiter.inFlight()).isZero();
		assertThat(this.commands.acks).hasSize(1);
	}

	@Test
	void sendsAgainWhatWasRefusedTogetherWithWhatCameSince() {
		List<EntryId> ids = add(2);
		runNextTimer();
		this.commands.last().refuse();
		assertThat(this.limiter.inFlight()).isEqualTo(2);
		ids.addAll(add(200));
		this.batcher.flush();
		assertThat(this.commands.acks).as("only the timer sends while refused").hasSize(1);
		runNextTimer();
		assertThat(this.commands.acks).hasSize(2);
		assertThat(this.commands.last().ids()).isEqualTo(ids);
		this.commands.last().confirm();
		assertThat(this.limiter.inFlight()).isZero();
	}

	@Test
	void waitsLongerFromRefusalToRefusal() {
		add(1);
		runNextTimer();
		for (int i = 0; i < 4; i++) {
			this.commands.last().refuse();
			runNextTimer();
		}
		List<Long> delays = timers();
		assertThat(delays).hasSize(5);
		assertThat(delays.get(1)).isBetween(100L, 300L);
		assertThat(delays.get(4)).isGreaterThan(delays.get(1)).isBetween(800L, 3000L);
	}

	@Test
	void sendsAtOnceAgainAfterARefusalIsOver() {
		add(1);
		runNextTimer();
		this.commands.last().refuse();
		runNextTimer();
		List<EntryId> meanwhile = add(100);
		assertThat(this.commands.acks).hasSize(2);
		this.commands.last().confirm();
		// On the timer's thread, not on the connection's
		assertThat(this.commands.acks).hasSize(2);
		runExecuted();
		assertThat(this.commands.acks).hasSize(3);
		assertThat(this.commands.last().ids()).isEqualTo(meanwhile);
		this.commands.last().confirm();
		List<EntryId> later = add(100);
		assertThat(this.commands.last().ids()).isEqualTo(later);
	}

	@Test
	void drainSendsEverythingAndWaitsUntilItIsConfirmed() {
		List<EntryId> sent = add(100);
		List<EntryId> waiting = add(7);
		CompletableFuture<Void> drained = drain(PATIENCE);
		await().until(() -> this.commands.acks.size() == 2);
		assertThat(this.commands.acks).extracting(Ack::ids).containsExactly(sent, waiting);
		this.commands.acks.get(0).confirm();
		assertThat(drained).isNotDone();
		this.commands.acks.get(1).confirm();
		assertThat(drained).succeedsWithin(10, TimeUnit.SECONDS);
		assertThat(this.limiter.inFlight()).isZero();
	}

	@Test
	void drainSendsAlsoWhatWasRefused() {
		List<EntryId> ids = add(1);
		runNextTimer();
		this.commands.last().refuse();
		CompletableFuture<Void> drained = drain(PATIENCE);
		await().until(() -> this.commands.acks.size() == 2);
		assertThat(this.commands.last().ids()).isEqualTo(ids);
		this.commands.last().confirm();
		assertThat(drained).succeedsWithin(10, TimeUnit.SECONDS);
	}

	@Test
	void drainGivesUpWhenItsTimeIsOver() {
		add(3);
		assertThat(drain(Duration.ofMillis(20))).succeedsWithin(10, TimeUnit.SECONDS);
		assertThat(this.limiter.inFlight()).isEqualTo(3);
	}

	@Test
	void drainOfNothingIsDoneAtOnce() throws Exception {
		this.batcher.drain(PATIENCE);
		assertThat(this.commands.acks).isEmpty();
	}

	@Test
	void sendsWhatComesAfterTheDrainAtOnceAndOnlyOnce() throws Exception {
		this.batcher.drain(PATIENCE);
		List<EntryId> late = add(1);
		assertThat(this.commands.acks).extracting(Ack::ids).containsExactly(late);
		this.commands.last().refuse();
		this.batcher.flush();
		assertThat(this.commands.acks).hasSize(1);
		assertThat(timers()).isEmpty();
	}

	@Test
	void sendsWhatComesAfterADrainThatWasRefused() throws Exception {
		add(1);
		runNextTimer();
		this.commands.last().refuse();
		this.batcher.drain(Duration.ofMillis(1));
		this.commands.last().refuse();
		List<EntryId> late = add(1);
		assertThat(this.commands.last().ids()).containsAll(late);
	}

	private TaskAttempt addTask(AckBatcher batcher) {
		EntryId id = new EntryId(System.nanoTime(), 0);
		TaskAttempt task = new TaskAttempt(id, "task-" + id, TaskState.COMPLETED, 1, "");
		this.limiter.hold(id);
		batcher.add(id, task);
		return task;
	}

	@Test
	void acknowledgesTasksInTheCommandThatNotesWhatHasBecomeOfThem() {
		List<TaskAttempt> tasks = List.of(addTask(this.batcher), addTask(this.batcher));
		this.batcher.flush();
		assertThat(this.commands.tasks.finishes).singleElement().satisfies((finish) -> {
			assertThat(finish.consumer()).isEqualTo(this.options.streamConsumer());
			assertThat(finish.tasks()).isEqualTo(tasks);
			assertThat(finish.delete()).isFalse();
		});
		assertThat(this.commands.acks).isEmpty();
		this.commands.tasks.lastFinish().confirm();
		assertThat(this.limiter.inFlight()).isZero();
	}

	@Test
	void deletesTasksWhereEntriesAreToBeDeleted() {
		ListenerOptions deleting = ListenerOptions.builder()
			.stream("s")
			.group("g")
			.consumer("c")
			.onSuccess(OnSuccess.DELETE)
			.build("id", "test");
		AckBatcher batcher = new AckBatcher(this.commands, deleting, this.limiter, new ContainerCounters(), this.timer);
		addTask(batcher);
		batcher.flush();
		assertThat(this.commands.tasks.lastFinish().delete()).isTrue();
	}

	@Test
	void ofAMixedBatchLetsGoOnceBothCommandsAreConfirmed() {
		List<EntryId> plain = add(1);
		TaskAttempt task = addTask(this.batcher);
		plain.addAll(add(1));
		this.batcher.flush();
		assertThat(this.commands.acks).extracting(Ack::ids).containsExactly(plain);
		assertThat(this.commands.tasks.finishes).extracting(RecordingTasks.Call::tasks).containsExactly(List.of(task));
		this.commands.tasks.lastFinish().confirm();
		assertThat(this.limiter.inFlight()).isEqualTo(3);
		this.commands.last().confirm();
		assertThat(this.limiter.inFlight()).isZero();
	}

	@Test
	void sendsAMixedBatchAgainWhenEitherCommandIsRefused() {
		List<EntryId> plain = add(1);
		TaskAttempt task = addTask(this.batcher);
		runNextTimer();
		this.commands.last().confirm();
		this.commands.tasks.lastFinish().refuse();
		assertThat(this.limiter.inFlight()).isEqualTo(2);
		runNextTimer();
		assertThat(this.commands.tasks.finishes).hasSize(2)
			.allSatisfy((finish) -> assertThat(finish.tasks()).containsExactly(task));
		assertThat(this.commands.acks).hasSize(2).allSatisfy((ack) -> assertThat(ack.ids()).isEqualTo(plain));
		this.commands.last().refuse();
		this.commands.tasks.lastFinish().confirm();
		assertThat(this.limiter.inFlight()).isEqualTo(2);
		runNextTimer();
		this.commands.last().confirm();
		this.commands.tasks.lastFinish().confirm();
		assertThat(this.limiter.inFlight()).isZero();
	}

	@Test
	void forgetsATaskOnceItIsAcknowledged() {
		TaskAttempt task = addTask(this.batcher);
		this.batcher.flush();
		this.commands.tasks.lastFinish().confirm();
		this.batcher.add(task.entry(), null);
		this.batcher.flush();
		assertThat(this.commands.tasks.finishes).hasSize(1);
		assertThat(this.commands.last().ids()).containsExactly(task.entry());
	}

	@Test
	void drainWaitsForTasksToo() {
		addTask(this.batcher);
		CompletableFuture<Void> drained = drain(PATIENCE);
		await().until(() -> this.commands.tasks.finishes.size() == 1);
		assertThat(drained).isNotDone();
		this.commands.tasks.lastFinish().confirm();
		assertThat(drained).succeedsWithin(10, TimeUnit.SECONDS);
	}

	private CompletableFuture<Void> drain(Duration patience) {
		CompletableFuture<Void> result = new CompletableFuture<>();
		new Thread(() -> {
			try {
				this.batcher.drain(patience);
				result.complete(null);
			}
			catch (InterruptedException ex) {
				result.completeExceptionally(ex);
			}
		}).start();
		return result;
	}

}
