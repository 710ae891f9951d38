package io.github.redisstreams.annotation;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;

import io.github.redisstreams.config.StreamListenerContainerFactory;
import io.github.redisstreams.config.StreamListenerRegistry;
import io.github.redisstreams.listener.StreamListenerContainer;
import io.github.redisstreams.publish.DefaultStreamTemplate;
import io.github.redisstreams.publish.StreamTemplate;
import io.github.redisstreams.redis.LettuceStreamCommands;
import io.github.redisstreams.redis.StreamCommands;
import io.github.redisstreams.support.EntryMessageConverter;
import io.github.redisstreams.test.RealRedis;
import io.github.redisstreams.test.RedisServer;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.MapPropertySource;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.messaging.handler.annotation.SendTo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * {@link EnableStreamListeners} in a plain Spring application on a real server.
 */
@RealRedis
class EnableStreamListenersTests {

	private static AnnotationConfigApplicationContext start(RedisServer redis, Class<?>... components) {
		AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
		context.getEnvironment()
			.getPropertySources()
			.addFirst(new MapPropertySource("test", Map.of("redis.port", redis.port(), "app.group", "billing")));
		context.register(components);
		context.refresh();
		return context;
	}

	@Test
	void listensWithoutSpringBoot(RedisServer redis) {
		redis.add("events", "number", "1");
		try (AnnotationConfigApplicationContext context = start(redis, Streams.class, Listener.class)) {
			Listener listener = context.getBean(Listener.class);
			await().until(() -> listener.handled.size() == 1);
			redis.add("events", "payload", "{\"number\":2}");
			await().until(() -> listener.handled.size() == 2);
			assertThat(listener.handled).containsExactly(new Order(1), new Order(2));
			await().until(() -> redis.pending("events", "billing") == 0);
		}
		assertThat(redis.blockedClients()).isEmpty();
	}

	@Test
	void sendsResultsWithATemplateOfTheApplication(RedisServer redis) {
		redis.add("orders", "number", "1");
		try (AnnotationConfigApplicationContext context = start(redis, Streams.class, Template.class, Replying.class)) {
			await().until(() -> context.isRunning() && redis.integer("XLEN", "results") == 1);
			assertThat(redis.list("XRANGE", "results", "-", "+").toString()).contains("[payload, {\"number\":2}]");
		}
	}

	@Test
	void aListenerThatDoesNotStartByItselfIsStartedPausedAndStoppedThroughTheRegistry(RedisServer redis) {
		redis.add("events", "number", "1");
		try (AnnotationConfigApplicationContext context = start(redis, Streams.class, ByHand.class)) {
			StreamListenerContainer container = Objects
				.requireNonNull(context.getBean(StreamListenerRegistry.class).getContainer("by-hand"));
			assertThat(container.isRunning()).isFalse();
			assertThat(redis.list("XINFO", "GROUPS", "events")).isEmpty();
			container.start().join();
			assertThat(redis.list("XINFO", "GROUPS", "events")).hasSize(1);
			ByHand listener = context.getBean(ByHand.class);
			await().until(() -> listener.handled.size() == 1);
			container.stop();
			assertThat(container.isRunning()).isFalse();
			assertThat(redis.pending("events", "billing")).isZero();
		}
	}

	record Order(int number) {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableStreamListeners
	static class Streams {

		@Bean
		LettuceConnectionFactory redisConnectionFactory(@Value("${redis.port}") int port) {
			return new LettuceConnectionFactory("127.0.0.1", port);
		}

		@Bean
		LettuceStreamCommands streamCommands(RedisConnectionFactory connectionFactory) {
			return new LettuceStreamCommands(connectionFactory);
		}

		@Bean
		StreamListenerContainerFactory streamListenerContainerFactory(StreamCommands commands) {
			return new StreamListenerContainerFactory(commands);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Template {

		@Bean
		StreamTemplate streamTemplate(StreamCommands commands) {
			return new DefaultStreamTemplate(commands, new EntryMessageConverter(JsonMapper.shared()));
		}

	}

	static class Listener {

		private final List<Order> handled = new CopyOnWriteArrayList<>();

		@StreamListener(value = "events", group = "${app.group}")
		void handle(Order order) {
			this.handled.add(order);
		}

	}

	static class Replying {

		@StreamListener(value = "orders", group = "billing")
		@SendTo("results")
		Order handle(Order order) {
			return new Order(order.number() + 1);
		}

	}

	static class ByHand {

		private final List<Order> handled = new CopyOnWriteArrayList<>();

		@StreamListener(value = "events", id = "by-hand", group = "billing", autoStartup = "false")
		void handle(Order order) {
			this.handled.add(order);
		}

	}

}
