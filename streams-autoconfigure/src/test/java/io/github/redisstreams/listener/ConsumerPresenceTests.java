package io.github.redisstreams.listener;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

import io.github.redisstreams.redis.StreamConsumer;
import io.github.redisstreams.test.StubCommands;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.Mockito.verify;

@ExtendWith(OutputCaptureExtension.class)
class ConsumerPresenceTests {

	private final List<ConsumerPresence> presences = new ArrayList<>();

	private final List<SettlingFixture.Timer> timers = new ArrayList<>();

	private final List<Duration> lives = new ArrayList<>();

	private @Nullable String holder;

	private boolean down;

	private final StubCommands commands = new StubCommands() {

		@Override
		public CompletionStage<@Nullable String> announce(StreamConsumer consumer, String token, Duration life) {
			if (ConsumerPresenceTests.this.down) {
				return CompletableFuture.failedFuture(new IllegalStateException("down"));
			}
			String before = ConsumerPresenceTests.this.holder;
			ConsumerPresenceTests.this.holder = token;
			ConsumerPresenceTests.this.lives.add(life);
			return CompletableFuture.completedFuture(before);
		}

	};

	private ConsumerPresence start(Duration claimInterval) {
		SettlingFixture.Timer timer = new SettlingFixture.Timer();
		ConsumerPresence presence = new ConsumerPresence("id",
				SettlingFixture.options().claimInterval(claimInterval).build("id", "test"), this.commands, timer.mock);
		presence.start();
		this.timers.add(timer);
		this.presences.add(presence);
		return presence;
	}

	private ConsumerPresence start() {
		return start(Duration.ofSeconds(1));
	}

	private void beat(int... which) {
		for (int index : which) {
			this.timers.get(index).tick();
		}
	}

	@Test
	void isAloneThoughItBeatsForLong(CapturedOutput output) {
		ConsumerPresence presence = start();
		beat(0, 0, 0, 0);
		assertThat(presence.isShared()).isFalse();
		assertThat(output).doesNotContain("ERROR");
	}

	@Test
	void isAloneAfterARestart(CapturedOutput output) {
		this.holder = "an earlier life";
		ConsumerPresence presence = start();
		beat(0, 0);
		assertThat(presence.isShared()).isFalse();
		assertThat(output).doesNotContain("ERROR");
	}

	@Test
	void noticesAnotherAndSaysSoOnce(CapturedOutput output) {
		ConsumerPresence one = start();
		beat(0, 0);
		ConsumerPresence two = start();
		beat(1, 0);
		assertThat(one.isShared()).isTrue();
		beat(1);
		assertThat(two.isShared()).isTrue();
		beat(0, 1, 0, 1, 0, 1);
		assertThat(output.getAll().split("so does another live process", -1)).hasSize(3);
	}

	@Test
	void noticesThatTheOtherIsGone(CapturedOutput output) {
		ConsumerPresence one = start();
		start();
		beat(0, 1, 0, 1, 0);
		assertThat(one.isShared()).isTrue();
		for (int i = 0; i < 50; i++) {
			beat(0);
		}
		assertThat(one.isShared()).isFalse();
		assertThat(output).contains("is alone again as consumer 'c'");
	}

	@Test
	void goesOnWhileRedisIsDown() {
		ConsumerPresence one = start();
		beat(0);
		this.down = true;
		beat(0);
		this.down = false;
		beat(0);
		assertThat(one.isShared()).isFalse();
		assertThat(this.lives).hasSize(2);
	}

	@Test
	void saysSoOnceThoughTheOtherBeatsLessOften(CapturedOutput output) {
		ConsumerPresence one = start();
		start(Duration.ofSeconds(5));
		beat(0, 1);
		for (int i = 0; i < 10; i++) {
			beat(0, 0, 0, 0, 0, 1);
			assertThat(one.isShared()).isTrue();
		}
		assertThat(output.getAll().split("so does another live process", -1)).hasSizeLessThanOrEqualTo(3);
	}

	@Test
	void beatsAsOftenAsItClaimsButNotTooOften() {
		start(Duration.ofSeconds(3));
		verify(this.timers.get(0).mock).scheduleWithFixedDelay(any(), eq(0L), eq(Duration.ofSeconds(3).toNanos()),
				eq(TimeUnit.NANOSECONDS));
		start(Duration.ofMillis(1));
		verify(this.timers.get(1).mock).scheduleWithFixedDelay(any(), eq(0L), eq(Duration.ofMillis(500).toNanos()),
				eq(TimeUnit.NANOSECONDS));
		beat(0, 1);
		assertThat(this.lives).containsExactly(Duration.ofSeconds(36), Duration.ofSeconds(6));
	}

}
