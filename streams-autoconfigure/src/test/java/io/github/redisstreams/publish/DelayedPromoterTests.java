package io.github.redisstreams.publish;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

import io.github.redisstreams.redis.Promotion;
import io.github.redisstreams.redis.PublishCommands;
import io.github.redisstreams.redis.Trimming;
import io.github.redisstreams.test.StubCommands;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.dao.TransientDataAccessResourceException;
import org.springframework.data.redis.RedisConnectionFailureException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.willAnswer;
import static org.mockito.Mockito.mock;

/**
 * When {@link DelayedPromoter} looks for entries that are due, with a clock and an
 * executor that do as they are told.
 */
@ExtendWith(OutputCaptureExtension.class)
class DelayedPromoterTests {

	private static final Promotion NOTHING = new Promotion(List.of(), List.of(), null, 0);

	private final PublishCommands commands = mock();

	private final Set<String> wanted = new HashSet<>(Set.of("events"));

	private final List<Duration> lateness = new ArrayList<>();

	private final List<Trimming> trimming = new CopyOnWriteArrayList<>();

	/** Milliseconds at which there was a look at the stream. */
	private final List<Long> looks = new ArrayList<>();

	private final FakeTimer timer = new FakeTimer();

	private final DelayedPromoter promoter = new DelayedPromoter(new StubCommands() {

		@Override
		public PublishCommands publishing() {
			return DelayedPromoterTests.this.commands;
		}

	}, PublisherSettings.DEFAULTS, () -> Set.copyOf(this.wanted), new PublishEvents() {

		@Override
		public void promoted(String stream, Collection<Duration> lateness) {
			assertThat(stream).isEqualTo("events");
			DelayedPromoterTests.this.lateness.addAll(lateness);
		}

	}, 0, () -> this.timer.now);

	private List<CompletionStage<Promotion>> replies = new ArrayList<>();

	@BeforeEach
	void replyAsTold() {
		given(this.commands.promote(anyString(), any())).willAnswer((call) -> {
			this.looks.add(TimeUnit.NANOSECONDS.toMillis(this.timer.now));
			this.trimming.add(call.getArgument(1));
			return this.replies.isEmpty() ? CompletableFuture.completedFuture(NOTHING) : this.replies.remove(0);
		});
	}

	private void willFindNextIn(@Nullable Duration next) {
		this.replies.add(CompletableFuture.completedFuture(new Promotion(List.of(), List.of(), next, 0)));
	}

	private void willMove(int count, @Nullable Duration next) {
		List<Duration> late = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			late.add(Duration.ofMillis(i));
		}
		this.replies.add(CompletableFuture.completedFuture(new Promotion(late, List.of(), next, 0)));
	}

	private void willFail() {
		this.replies
			.add(CompletableFuture.failedFuture(new TransientDataAccessResourceException("OOM (EVALSHA on 'events')")));
	}

	private void willLoseTheConnection() {
		this.replies.add(CompletableFuture.failedFuture(new RedisConnectionFailureException("Connection lost")));
	}

	private void start() {
		this.promoter.schedule(this.timer.executor);
		this.timer.advance(Duration.ZERO);
	}

	@Test
	void looksOnceAtTheStart() {
		start();
		assertThat(this.looks).containsExactly(0L);
		assertThat(this.trimming).containsExactly(PublisherOptions.DEFAULTS.trimming());
	}

	@Test
	void looksOnceASecondIfNothingIsScheduled() {
		start();
		this.timer.advance(Duration.ofMillis(3500));
		assertThat(this.looks).containsExactly(0L, 1000L, 2000L, 3000L);
	}

	@Test
	void looksOnceASecondIfTheNextIsDueLater() {
		willFindNextIn(Duration.ofDays(1_000_000));
		willFindNextIn(Duration.ofMillis(1001));
		start();
		this.timer.advance(Duration.ofMillis(2500));
		assertThat(this.looks).containsExactly(0L, 1000L, 2000L);
	}

	@Test
	void sleepsUntilTheNextIsDue() {
		willFindNextIn(Duration.ofMillis(300));
		willMove(1, Duration.ofMillis(450));
		start();
		this.timer.advance(Duration.ofMillis(1000));
		assertThat(this.looks).containsExactly(0L, 300L, 750L);
		assertThat(this.lateness).containsExactly(Duration.ZERO);
	}

	@Test
	void sleepsTenMillisecondsAtLeastSoThatSomeAreMovedAtATime() {
		for (int i = 0; i < 3; i++) {
			willMove(1, Duration.ofMillis(1));
		}
		start();
		this.timer.advance(Duration.ofMillis(100));
		assertThat(this.looks).containsExactly(0L, 10L, 20L, 30L);
	}

	@Test
	void looksAgainAtOnceIfMoreAreDueThanOneLookMoves() {
		willMove(100, Duration.ZERO);
		willMove(100, Duration.ZERO);
		willMove(50, null);
		start();
		assertThat(this.looks).containsExactly(0L, 0L, 0L);
		assertThat(this.lateness).hasSize(250);
	}

	@Test
	void looksSoonerIfSomethingIsScheduledHere() {
		start();
		this.timer.advance(Duration.ofMillis(100));
		this.promoter.scheduled("events", Duration.ofMillis(200));
		this.promoter.scheduled("events", Duration.ofMillis(50));
		this.promoter.scheduled("events", Duration.ofMillis(300));
		this.promoter.scheduled("other", Duration.ofMillis(20));
		this.timer.advance(Duration.ofMillis(400));
		assertThat(this.looks).containsExactly(0L, 150L);
	}

	@Test
	void looksNoLaterIfSomethingIsScheduledForAFarOffTime() {
		start();
		this.promoter.scheduled("events", Duration.ofMillis(1L << 52));
		this.timer.advance(Duration.ofMillis(1500));
		assertThat(this.looks).containsExactly(0L, 1000L);
	}

	@Test
	void manyThatAreScheduledForRightNowAreMovedTogether() {
		start();
		for (int i = 0; i < 15; i++) {
			this.timer.advance(Duration.ofMillis(1));
			this.promoter.scheduled("events", Duration.ZERO);
		}
		this.timer.advance(Duration.ofMillis(100));
		assertThat(this.looks).containsExactly(0L, 11L, 21L);
	}

	@Test
	void whileItFailsItWaitsLongerAndLongerAndSaysSoOnce(CapturedOutput output) {
		for (int i = 0; i < 4; i++) {
			willFail();
		}
		start();
		this.timer.advance(Duration.ofSeconds(10));
		assertThat(this.looks.get(1) - this.looks.get(0)).isBetween(150L, 250L);
		assertThat(this.looks.get(4) - this.looks.get(3)).isGreaterThanOrEqualTo(1200);
		assertThat(output).containsOnlyOnce("Scheduled entries of stream 'events' cannot be moved into it")
			.containsOnlyOnce("Scheduled entries of stream 'events' are moved into it again");
		int healed = this.looks.size();
		this.timer.advance(Duration.ofSeconds(5));
		assertThat(this.looks).hasSize(healed + 5);
	}

	@Test
	void saysNothingOfAnOutageUnlessSomethingIsScheduled(CapturedOutput output) {
		start();
		willLoseTheConnection();
		this.timer.advance(Duration.ofSeconds(1));
		assertThat(this.looks).containsExactly(0L, 1000L);
		assertThat(output).doesNotContain("cannot be moved");
		this.promoter.scheduled("events", Duration.ZERO);
		willLoseTheConnection();
		this.timer.advance(Duration.ofMillis(10));
		assertThat(output).contains("Scheduled entries of stream 'events' cannot be moved into it");
	}

	@Test
	void aStreamThatDoesNotAnswerHoldsUpNoOtherAndIsNotAskedAgainBeforeItDoes() {
		this.wanted.add("others");
		CompletableFuture<Promotion> silent = new CompletableFuture<>();
		List<String> asked = new ArrayList<>();
		given(this.commands.promote(anyString(), any())).willAnswer((call) -> {
			asked.add(call.getArgument(0));
			return call.getArgument(0).equals("events") ? silent : CompletableFuture.completedFuture(NOTHING);
		});
		start();
		this.promoter.scheduled("events", Duration.ofMillis(300));
		this.timer.advance(Duration.ofSeconds(2));
		assertThat(asked).containsExactlyInAnyOrder("events", "others", "others", "others");
		silent.complete(NOTHING);
		this.timer.advance(Duration.ofMillis(300));
		assertThat(asked).filteredOn("events"::equals).hasSize(2);
	}

	@Test
	void goesOnWhateverIsThrown(CapturedOutput output) {
		given(this.commands.promote(anyString(), any())).willThrow(new QueryTimeoutException("no connection"))
			.willThrow(new NoClassDefFoundError("once"))
			.willAnswer((call) -> {
				this.looks.add(TimeUnit.NANOSECONDS.toMillis(this.timer.now));
				return CompletableFuture.completedFuture(NOTHING);
			});
		start();
		this.timer.advance(Duration.ofSeconds(10));
		assertThat(this.looks).hasSizeGreaterThan(5);
		assertThat(output).contains("no connection", "NoClassDefFoundError", "are moved into it again");
	}

	@Test
	void entriesWhoseFieldsAreGoneAreAnError(CapturedOutput output) {
		this.replies.add(CompletableFuture
			.completedFuture(new Promotion(List.of(), List.of("reminder-7", "reminder-8"), null, 0)));
		start();
		assertThat(output).contains("ERROR")
			.contains("Scheduled entries of stream 'events' were due whose fields are gone")
			.contains("[reminder-7, reminder-8]");
		assertThat(this.lateness).isEmpty();
	}

	@Test
	void leavesAStreamAloneThatIsNotWantedAnyMore() {
		willFindNextIn(Duration.ofMillis(700));
		start();
		this.timer.advance(Duration.ofMillis(1800));
		this.wanted.clear();
		this.timer.advance(Duration.ofMillis(300));
		this.promoter.scheduled("events", Duration.ZERO);
		this.timer.advance(Duration.ofSeconds(5));
		assertThat(this.looks).containsExactly(0L, 700L, 1700L);
		this.wanted.add("events");
		this.timer.advance(Duration.ofSeconds(1));
		assertThat(this.looks).hasSize(4);
	}

	@Test
	void takesOnAStreamThatIsWantedLaterWithinASecond() {
		this.wanted.clear();
		start();
		this.timer.advance(Duration.ofMillis(1500));
		assertThat(this.looks).isEmpty();
		this.wanted.add("events");
		this.timer.advance(Duration.ofSeconds(1));
		assertThat(this.looks).containsExactly(2000L);
	}

	@Test
	void whereItCannotBeToldWhichStreamsAreWantedItSaysSoOnceAndGoesOn(CapturedOutput output) {
		int[] calls = { 0 };
		DelayedPromoter promoter = new DelayedPromoter(new StubCommands() {

			@Override
			public PublishCommands publishing() {
				return DelayedPromoterTests.this.commands;
			}

		}, PublisherSettings.DEFAULTS, () -> {
			if (calls[0]++ < 3) {
				throw new IllegalStateException("not yet");
			}
			return Set.of("events");
		}, new PublishEvents() {
		}, 0, () -> this.timer.now);
		promoter.schedule(this.timer.executor);
		this.timer.advance(Duration.ofSeconds(3));
		assertThat(this.looks).containsExactly(3000L);
		assertThat(output).containsOnlyOnce("It cannot be told now which streams to move scheduled entries into");
	}

	@Test
	void whatIsScheduledAfterAStopDoesNoHarm() {
		start();
		this.timer.stopped = true;
		this.promoter.scheduled("events", Duration.ofMillis(20));
		this.timer.advance(Duration.ofSeconds(3));
		assertThat(this.looks).containsExactly(0L);
	}

	@Test
	void aNewStartLooksAtOnceThoughTheOldThreadIsStillLooking() throws InterruptedException {
		CountDownLatch looking = new CountDownLatch(1);
		List<Thread> threads = new CopyOnWriteArrayList<>();
		CompletableFuture<Promotion> never = new CompletableFuture<>();
		given(this.commands.promote(anyString(), any())).willAnswer((call) -> {
			threads.add(Thread.currentThread());
			looking.countDown();
			return (threads.size() == 1) ? never : CompletableFuture.completedFuture(NOTHING);
		});
		this.promoter.start();
		looking.await();
		this.promoter.stop();
		this.promoter.start();
		try {
			await().until(() -> threads.size() > 2);
			assertThat(Set.copyOf(threads)).hasSize(2);
			assertThat(threads.get(2)).isSameAs(threads.get(1));
			threads.get(0).join(10_000);
			assertThat(threads.get(0).isAlive()).isFalse();
		}
		finally {
			this.promoter.stop();
		}
	}

	/**
	 * Runs tasks when the clock reaches their time, which it does when told.
	 */
	private static final class FakeTimer {

		private final ScheduledExecutorService executor = mock();

		private final PriorityQueue<Task> tasks = new PriorityQueue<>();

		private long now;

		private boolean stopped;

		private long order;

		FakeTimer() {
			given(this.executor.schedule(any(Runnable.class), anyLong(), any()))
				.willAnswer((call) -> add(call.getArgument(0), call.getArgument(1), call.getArgument(2), 0));
			willAnswer((call) -> add(call.getArgument(0), 0, TimeUnit.NANOSECONDS, 0)).given(this.executor)
				.execute(any());
			given(this.executor.isShutdown()).willAnswer((call) -> this.stopped);
			given(this.executor.scheduleWithFixedDelay(any(), anyLong(), anyLong(), any()))
				.willAnswer((call) -> add(call.getArgument(0), call.getArgument(1), call.getArgument(3),
						TimeUnit.MILLISECONDS.toNanos(call.getArgument(2))));
		}

		private ScheduledFuture<?> add(Runnable action, long delay, TimeUnit unit, long period) {
			if (this.stopped) {
				throw new RejectedExecutionException("stopped");
			}
			Task task = new Task(this.now + unit.toNanos(delay), this.order++, action, period);
			this.tasks.add(task);
			ScheduledFuture<?> future = mock();
			given(future.cancel(false)).willAnswer((call) -> this.tasks.remove(task));
			return future;
		}

		void advance(Duration time) {
			long end = this.now + time.toNanos();
			while (!this.tasks.isEmpty() && this.tasks.peek().time() <= end && !this.stopped) {
				Task task = this.tasks.remove();
				this.now = Math.max(this.now, task.time());
				task.action().run();
				if (task.period() > 0) {
					this.tasks.add(new Task(this.now + task.period(), this.order++, task.action(), task.period()));
				}
			}
			this.now = end;
		}

		/**
		 * A task and its time.
		 */
		private record Task(long time, long order, Runnable action, long period) implements Comparable<Task> {

			@Override
			public int compareTo(Task other) {
				return (this.time != other.time) ? Long.compare(this.time, other.time)
						: Long.compare(this.order, other.order);
			}

		}

	}

}
