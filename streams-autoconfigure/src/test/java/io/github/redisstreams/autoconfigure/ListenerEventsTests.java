package io.github.redisstreams.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;

import io.github.redisstreams.annotation.StreamListener;
import io.github.redisstreams.config.StreamListenerRegistry;
import io.github.redisstreams.deadletter.DeadLetterEntry;
import io.github.redisstreams.deadletter.DeadLetterRange;
import io.github.redisstreams.deadletter.DeadLetters;
import io.github.redisstreams.event.EntryDeadLetteredEvent;
import io.github.redisstreams.event.ListenerIdleEvent;
import io.github.redisstreams.event.ListenerStartedEvent;
import io.github.redisstreams.event.ListenerStateChangedEvent;
import io.github.redisstreams.event.ListenerStoppedEvent;
import io.github.redisstreams.event.StreamListenerEvent;
import io.github.redisstreams.listener.ContainerState;
import io.github.redisstreams.listener.StopReason;
import io.github.redisstreams.listener.failure.DeadLetterException;
import io.github.redisstreams.test.RealRedis;
import io.github.redisstreams.test.RedisServer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What a method with {@code @EventListener} gets to know.
 */
@RealRedis
class ListenerEventsTests {

	private ApplicationContextRunner runner;

	@BeforeEach
	void configure(RedisServer redis) {
		this.runner = new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, JacksonAutoConfiguration.class,
					RedisStreamsAutoConfiguration.class))
			.withPropertyValues("spring.application.name=billing", "spring.data.redis.host=127.0.0.1",
					"spring.data.redis.port=" + redis.port(), "redis.streams.listener.poll-timeout=200ms",
					"redis.streams.listeners.events.idle-event-interval=100ms");
	}

	private static <T> List<T> events(List<StreamListenerEvent> all, Class<T> type) {
		return all.stream().filter(type::isInstance).map(type::cast).toList();
	}

	@Test
	void isTheWholeLifeOfAListener(RedisServer redis) {
		List<StreamListenerEvent> events = new CopyOnWriteArrayList<>();
		this.runner.withUserConfiguration(Application.class)
			.withBean(Observer.class, () -> new Observer(events))
			.run((context) -> {
				await().until(() -> !events(events, ListenerIdleEvent.class).isEmpty());
				redis.add("events", "payload", "bad");
				await().until(() -> !events(events, EntryDeadLetteredEvent.class).isEmpty());
				EntryDeadLetteredEvent event = events(events, EntryDeadLetteredEvent.class).get(0);
				DeadLetterEntry letter = context.getBean(DeadLetters.class)
					.list("events", DeadLetterRange.between(event.deadLetterId(), event.deadLetterId()), 1)
					.get(0);
				assertThat(letter.originalId()).isEqualTo(event.entryId());
				assertThat(event.reason()).isEqualTo("unreadable");
				Objects.requireNonNull(context.getBean(StreamListenerRegistry.class).getContainer("other")).stop();
				await().until(() -> !events(events, ListenerStoppedEvent.class).isEmpty());
			});
		assertThat(events(events, ListenerStartedEvent.class)).extracting(ListenerStartedEvent::listenerId)
			.containsExactlyInAnyOrder("events", "other");
		assertThat(events(events, ListenerStateChangedEvent.class))
			.filteredOn((change) -> change.listenerId().equals("events"))
			.extracting(ListenerStateChangedEvent::to)
			.containsExactly(ContainerState.STARTING, ContainerState.POLLING, ContainerState.STOPPED);
		assertThat(events(events, ListenerStoppedEvent.class)).extracting(ListenerStoppedEvent::listenerId)
			.containsExactly("other", "events");
		assertThat(events(events, ListenerStoppedEvent.class)).extracting(ListenerStoppedEvent::reason)
			.containsExactly(StopReason.REQUESTED, StopReason.SHUTDOWN);
		assertThat(events(events, ListenerIdleEvent.class)).extracting(ListenerIdleEvent::listenerId)
			.containsOnly("events");
	}

	@Test
	void aListenerThatFailsOrHangsHarmsNoHandler(RedisServer redis) {
		this.runner.withUserConfiguration(Application.class).withBean(Saboteur.class).run((context) -> {
			Saboteur saboteur = context.getBean(Saboteur.class);
			await().until(() -> saboteur.called);
			redis.addPipelined("events", 100, (n) -> new String[] { "payload", "good" });
			await().until(() -> context.getBean(Application.class).handled.size() == 100);
			await().until(() -> redis.pending("events", "billing") == 0);
		});
	}

	@Test
	void aListenerCanCloseTheApplicationOnceThereIsNothingToDo() {
		List<StreamListenerEvent> events = new CopyOnWriteArrayList<>();
		this.runner.withUserConfiguration(Application.class)
			.withBean(Observer.class, () -> new Observer(events))
			.withBean(Closer.class)
			.run((context) -> await().atMost(Duration.ofSeconds(30)).until(() -> !context.isActive()));
		assertThat(events(events, ListenerIdleEvent.class)).isNotEmpty();
	}

	@Configuration(proxyBeanMethods = false)
	static class Application {

		private final List<String> handled = new CopyOnWriteArrayList<>();

		@StreamListener("events")
		void handle(String payload) {
			if (payload.equals("bad")) {
				throw new DeadLetterException("unreadable");
			}
			this.handled.add(payload);
		}

		@StreamListener("other")
		void handleOthers(String payload) {
		}

	}

	static class Observer {

		private final List<StreamListenerEvent> events;

		Observer(List<StreamListenerEvent> events) {
			this.events = events;
		}

		@EventListener
		void on(StreamListenerEvent event) {
			this.events.add(event);
		}

	}

	static class Saboteur {

		private volatile boolean called;

		@EventListener
		void hang(ListenerStateChangedEvent event) throws InterruptedException {
			this.called = true;
			Thread.sleep(Duration.ofMinutes(10).toMillis());
		}

		@EventListener
		void fail(ListenerStartedEvent event) {
			throw new IllegalStateException("as asked");
		}

	}

	static class Closer {

		private final ConfigurableApplicationContext context;

		Closer(ConfigurableApplicationContext context) {
			this.context = context;
		}

		@EventListener
		void close(ListenerIdleEvent event) {
			this.context.close();
		}

	}

}
