package io.github.redisstreams.autoconfigure.health;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;

import io.github.redisstreams.StreamsConfigurationException;
import io.github.redisstreams.annotation.StreamListener;
import io.github.redisstreams.autoconfigure.RedisStreamsAutoConfiguration;
import io.github.redisstreams.autoconfigure.metrics.RedisStreamsMetricsAutoConfiguration;
import io.github.redisstreams.config.StreamContainerCustomizer;
import io.github.redisstreams.config.StreamListenerRegistry;
import io.github.redisstreams.listener.StreamListenerContainer;
import io.github.redisstreams.metrics.StreamMetrics;
import io.github.redisstreams.metrics.StreamSampler;
import io.github.redisstreams.test.RealRedis;
import io.github.redisstreams.test.RedisServer;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.availability.ApplicationAvailabilityAutoConfiguration;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.LivenessState;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.health.actuate.endpoint.CompositeHealthDescriptor;
import org.springframework.boot.health.actuate.endpoint.HealthDescriptor;
import org.springframework.boot.health.actuate.endpoint.HealthEndpoint;
import org.springframework.boot.health.actuate.endpoint.IndicatedHealthDescriptor;
import org.springframework.boot.health.autoconfigure.actuate.endpoint.AvailabilityProbesAutoConfiguration;
import org.springframework.boot.health.autoconfigure.actuate.endpoint.HealthEndpointAutoConfiguration;
import org.springframework.boot.health.autoconfigure.application.AvailabilityHealthContributorAutoConfiguration;
import org.springframework.boot.health.autoconfigure.contributor.HealthContributorAutoConfiguration;
import org.springframework.boot.health.autoconfigure.registry.HealthContributorRegistryAutoConfiguration;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Health as the endpoint shows it, while a real server fails and comes back, and each
 * condition of the auto-configuration.
 */
@RealRedis(own = true)
class RedisStreamsHealthAutoConfigurationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, JacksonAutoConfiguration.class,
				RedisStreamsAutoConfiguration.class, RedisStreamsHealthAutoConfiguration.class,
				ApplicationAvailabilityAutoConfiguration.class, EndpointAutoConfiguration.class,
				HealthContributorAutoConfiguration.class, HealthContributorRegistryAutoConfiguration.class,
				HealthEndpointAutoConfiguration.class, AvailabilityHealthContributorAutoConfiguration.class,
				AvailabilityProbesAutoConfiguration.class))
		.withPropertyValues("spring.application.name=billing", "redis.streams.consumer=one",
				"redis.streams.listener.poll-timeout=500ms", "management.endpoint.health.probes.enabled=true");

	private ApplicationContextRunner on(RedisServer redis) {
		return this.runner
			.withPropertyValues("spring.data.redis.host=127.0.0.1", "spring.data.redis.port=" + redis.port())
			.withUserConfiguration(Listeners.class);
	}

	@AfterEach
	void permitEverything(RedisServer redis) {
		redis.command("ACL", "SETUSER", "default", "+@all");
	}

	private static IndicatedHealthDescriptor health(ApplicationContext context) {
		return (IndicatedHealthDescriptor) at(context, "redisStreams", "events");
	}

	private static HealthDescriptor at(ApplicationContext context, String... path) {
		return Objects.requireNonNull(context.getBean(HealthEndpoint.class).healthForPath(path));
	}

	private static void awaitHealth(ApplicationContext context, Status status, String state) {
		await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> {
			IndicatedHealthDescriptor health = health(context);
			assertThat(health.getStatus()).isEqualTo(status);
			assertThat(health.getDetails()).containsEntry("state", state);
		});
	}

	@Test
	void showsEachListener(RedisServer redis) {
		on(redis).run((context) -> {
			awaitHealth(context, Status.UP, "POLLING");
			assertThat(health(context).getDetails())
				.containsAllEntriesOf(Map.of("stream", "events", "group", "billing", "consumer", "one", "inFlight", 0,
						"consumerShared", false))
				.containsKey("lastPollAge")
				.doesNotContainKey("lastError");
			CompositeHealthDescriptor all = (CompositeHealthDescriptor) at(context, "redisStreams");
			assertThat(all.getComponents()).containsOnlyKeys("events", "idle");
			assertThat(all.getStatus()).isEqualTo(Status.UP);
			assertThat(context.getBean(HealthEndpoint.class).healthForPath("redisStreams", "other")).isNull();
		});
	}

	@Test
	@DisplayName("C01 health is down while Redis is down, and up after that with no action")
	void isDownWhileRedisIsDown(RedisServer redis) {
		on(redis).run((context) -> {
			isReady(context);
			awaitHealth(context, Status.UP, "POLLING");
			redis.stop();
			awaitHealth(context, Status.DOWN, "BACKING_OFF");
			assertThat(health(context).getDetails().get("lastError")).asString().contains("No connection to Redis");
			HealthEndpoint endpoint = context.getBean(HealthEndpoint.class);
			assertThat(endpoint.health().getStatus()).isEqualTo(Status.DOWN);
			assertThat(at(context, "liveness").getStatus()).isEqualTo(Status.UP);
			assertThat(at(context, "readiness").getStatus()).isEqualTo(Status.UP);
			redis.start();
			awaitHealth(context, Status.UP, "POLLING");
			redis.add("events", "payload", "later");
			await().until(() -> handled(context).contains("later"));
			assertThat(endpoint.health().getStatus()).isEqualTo(Status.UP);
		});
	}

	@Test
	@DisplayName("C12 health is down while the key is a string, and up once it is gone")
	void isDownWhileTheKeyIsNoStream(RedisServer redis) {
		on(redis).run((context) -> {
			awaitHealth(context, Status.UP, "POLLING");
			redis.command("SET", "events", "a string");
			awaitHealth(context, Status.DOWN, "FAILED");
			assertThat(health(context).getDetails().get("lastError")).asString().contains("The key is not a stream");
			redis.command("DEL", "events");
			awaitHealth(context, Status.UP, "POLLING");
		});
	}

	@Test
	@DisplayName("C22 no false alarm while a BLOCK lasts twice as long as asked")
	void isUpWhileABlockLastsTwiceAsLong(RedisServer redis) {
		on(redis).withPropertyValues("redis.streams.listener.poll-timeout=1s", "redis.streams.health.max-poll-age=1ms")
			.run((context) -> {
				awaitHealth(context, Status.UP, "POLLING");
				AtomicReference<Duration> longest = new AtomicReference<>(Duration.ZERO);
				// The read that comes meanwhile begins to wait only after that
				redis.command("CLIENT", "PAUSE", "1500", "ALL");
				await().during(Duration.ofSeconds(4)).atMost(Duration.ofSeconds(6)).until(() -> {
					IndicatedHealthDescriptor health = health(context);
					Duration age = Duration.parse(String.valueOf(health.getDetails().get("lastPollAge")));
					longest.accumulateAndGet(age, (one, other) -> (one.compareTo(other) < 0) ? other : one);
					return health.getStatus().equals(Status.UP);
				});
				assertThat(longest.get()).isGreaterThan(Duration.ofMillis(1400));
			});
	}

	@Test
	void isDownWhileAcknowledgementsDoNotGetThrough(RedisServer redis) {
		on(redis).run((context) -> {
			redis.command("ACL", "SETUSER", "default", "-xack");
			redis.add("events", "payload", "one");
			awaitHealth(context, Status.DOWN, "POLLING");
			assertThat(health(context).getDetails()).containsEntry("inFlight", 1);
			redis.command("ACL", "SETUSER", "default", "+xack");
			awaitHealth(context, Status.UP, "POLLING");
		});
	}

	@Test
	@DisplayName("C36 health is down while dead letters cannot be written")
	void isDownWhileDeadLettersCannotBeWritten(RedisServer redis) {
		redis.command("SET", "{events}:dlq", "a string");
		on(redis)
			.withBean("customizer", StreamContainerCustomizer.class,
					() -> (endpoint, options) -> options.maxDeliveries(1))
			.run((context) -> {
				redis.add("events", "payload", "fail");
				awaitHealth(context, Status.DOWN, "POLLING");
				assertThat(health(context).getDetails().get("lastError")).asString().contains("{events}:dlq");
				redis.command("DEL", "{events}:dlq");
				awaitHealth(context, Status.UP, "POLLING");
			});
	}

	@Test
	void isUpWhileStoppedOrPausedOnPurpose(RedisServer redis) {
		on(redis).run((context) -> {
			awaitHealth(context, Status.UP, "POLLING");
			StreamListenerContainer container = Objects
				.requireNonNull(context.getBean(StreamListenerRegistry.class).getContainer("events"));
			container.pause();
			awaitHealth(context, Status.UP, "PAUSED");
			container.stop();
			awaitHealth(context, Status.UP, "STOPPED");
		});
	}

	@Test
	void canBeSwitchedOff(RedisServer redis) {
		on(redis).withPropertyValues("management.health.redisstreams.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("redisStreamsHealthContributor"));
		on(redis).withPropertyValues("management.health.defaults.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("redisStreamsHealthContributor"));
		on(redis).withPropertyValues("redis.streams.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("redisStreamsHealthContributor"));
	}

	@Test
	void whereNobodyShowsFiguresRedisIsNotAskedForThem(RedisServer redis) {
		on(redis).withPropertyValues("management.health.redisstreams.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(StreamSampler.class));
	}

	@Test
	void showsTheFiguresOfTheMeters(RedisServer redis) {
		on(redis).withConfiguration(AutoConfigurations.of(RedisStreamsMetricsAutoConfiguration.class))
			.withBean(MeterRegistry.class, SimpleMeterRegistry::new)
			.run((context) -> assertThat(context).hasSingleBean(StreamSampler.class)
				.hasSingleBean(StreamMetrics.class));
	}

	@Test
	void showsWhatWaitsInTheGroupWithoutMicrometer(RedisServer redis) {
		on(redis).withClassLoader(new FilteredClassLoader("io.micrometer"))
			.withPropertyValues("redis.streams.metrics.interval=50ms", "redis.streams.health.max-lag=2",
					"redis.streams.listeners.idle.group=backlog")
			.run((context) -> {
				redis.command("XGROUP", "CREATE", "idle", "backlog", "0", "MKSTREAM");
				long now = System.currentTimeMillis();
				for (int minutes = 30; minutes >= 10; minutes -= 10) {
					redis.command("XADD", "idle", (now - minutes * 60_000) + "-0", "n", "1");
				}
				redis.deliver("idle", "backlog", "someone", 1);
				await().untilAsserted(() -> {
					IndicatedHealthDescriptor health = (IndicatedHealthDescriptor) at(context, "redisStreams", "idle");
					assertThat(health.getStatus()).isEqualTo(Status.UP);
					assertThat(health.getDetails()).containsEntry("lag", 2L).containsEntry("pending", 1L);
					assertThat(Duration.parse(String.valueOf(health.getDetails().get("oldestPendingAge"))))
						.isBetween(Duration.ofMinutes(30), Duration.ofMinutes(31));
				});
				redis.add("idle", "n", "1");
				await().until(() -> at(context, "redisStreams", "idle").getStatus().getCode().equals("BEHIND"));
			});
	}

	@Test
	void staysUpWhileAConnectionIsReplaced(RedisServer redis) {
		on(redis).run((context) -> {
			awaitHealth(context, Status.UP, "POLLING");
			Set<Status> seen = ConcurrentHashMap.newKeySet();
			for (int i = 0; i < 3; i++) {
				redis.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
				// Not before the listener has noticed
				await().until(() -> {
					seen.add(health(context).getStatus());
					return health(context).getDetails().containsKey("lastError");
				});
				await().until(() -> {
					seen.add(health(context).getStatus());
					return !health(context).getDetails().containsKey("lastError");
				});
			}
			assertThat(seen).containsExactly(Status.UP);
		});
	}

	@ParameterizedTest
	@CsvSource({ "max-poll-age, -1s", "down-after, -1ms", "max-lag, -1", "max-oldest-pending, -5s" })
	void takesNoNegativeThreshold(String property, String value, RedisServer redis) {
		on(redis).withPropertyValues("redis.streams.health." + property + "=" + value)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOfSatisfying(StreamsConfigurationException.class,
						(ex) -> assertThat(ex.getAction()).contains("redis.streams.health." + property)));
	}

	@Test
	void leavesTheUsersHealthInPlace(RedisServer redis) {
		CompositeHealthContributor own = CompositeHealthContributor.fromMap(Map.of());
		on(redis).withBean("redisStreamsHealthContributor", CompositeHealthContributor.class, () -> own)
			.run((context) -> assertThat(context).getBean("redisStreamsHealthContributor").isSameAs(own));
	}

	@Test
	void withoutTheHealthModuleTheListenersStillWork(RedisServer redis) {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, JacksonAutoConfiguration.class,
					RedisStreamsAutoConfiguration.class, RedisStreamsHealthAutoConfiguration.class))
			.withPropertyValues("spring.application.name=billing", "spring.data.redis.host=127.0.0.1",
					"spring.data.redis.port=" + redis.port())
			.withUserConfiguration(Listeners.class)
			.withClassLoader(new FilteredClassLoader("org.springframework.boot.health"))
			.run((context) -> {
				assertThat(context).hasNotFailed();
				redis.add("events", "payload", "one");
				await().until(() -> handled(context).contains("one"));
			});
	}

	@Test
	void withoutListenersNothingIsShown(RedisServer redis) {
		this.runner.withPropertyValues("spring.data.redis.host=127.0.0.1", "spring.data.redis.port=" + redis.port())
			.run((context) -> {
				isReady(context);
				assertThat(context).hasNotFailed().hasBean("redisStreamsHealthContributor");
				assertThat(context.getBean(HealthEndpoint.class).health().getStatus()).isEqualTo(Status.UP);
			});
	}

	// As SpringApplication would say it
	private static void isReady(ApplicationContext context) {
		AvailabilityChangeEvent.publish(context, LivenessState.CORRECT);
		AvailabilityChangeEvent.publish(context, ReadinessState.ACCEPTING_TRAFFIC);
	}

	private static List<String> handled(AssertableApplicationContext context) {
		return context.getBean(Listeners.class).handled;
	}

	@Configuration(proxyBeanMethods = false)
	static class Listeners {

		private final List<String> handled = new CopyOnWriteArrayList<>();

		@StreamListener("events")
		void handle(String payload) {
			if (payload.equals("fail")) {
				throw new IllegalStateException("as asked");
			}
			this.handled.add(payload);
		}

		@StreamListener(value = "idle", autoStartup = "false")
		void handleNothing(String payload) {
		}

	}

}
