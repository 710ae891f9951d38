package io.github.redisstreams.autoconfigure.actuate;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Stream;

import javax.management.MBeanOperationInfo;
import javax.management.MBeanParameterInfo;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.ReflectionException;

import io.github.redisstreams.autoconfigure.RedisStreamsAutoConfiguration;
import io.github.redisstreams.autoconfigure.actuate.ActuatorApplications.Application;
import io.github.redisstreams.test.RealRedis;
import io.github.redisstreams.test.RedisServer;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;

import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.jmx.JmxEndpointAutoConfiguration;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.jmx.JmxAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;
import static org.mockito.Mockito.mock;

/**
 * Each condition of the auto-configuration, and the endpoint without the web.
 */
@RealRedis
class RedisStreamsEndpointAutoConfigurationTests {

	private static final String JMX = "management.endpoints.jmx.exposure.include=redisstreams";

	private static ApplicationContextRunner on(RedisServer redis) {
		return new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, JacksonAutoConfiguration.class,
					EndpointAutoConfiguration.class, JmxAutoConfiguration.class, JmxEndpointAutoConfiguration.class,
					RedisStreamsAutoConfiguration.class, RedisStreamsEndpointAutoConfiguration.class))
			.withUserConfiguration(Application.class)
			.withPropertyValues("spring.application.name=billing", "spring.data.redis.host=127.0.0.1",
					"spring.data.redis.port=" + redis.port(), "spring.jmx.enabled=true",
					"redis.streams.listener.poll-timeout=200ms", "redis.streams.listeners.events.stream=app:events");
	}

	@Test
	void thereIsNoEndpointUnlessItIsExposed(RedisServer redis) {
		on(redis).run((context) -> assertThat(context).hasNotFailed()
			.doesNotHaveBean(RedisStreamsEndpoint.class)
			.doesNotHaveBean(RedisStreamsEndpointProperties.class));
		ActuatorApplications.on(redis.port())
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(RedisStreamsEndpoint.class));
	}

	@Test
	void thereIsNoEndpointWithoutAccess(RedisServer redis) {
		ActuatorApplications.on(redis)
			.withPropertyValues("management.endpoint.redisstreams.access=NONE")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(RedisStreamsEndpoint.class));
	}

	@Test
	void thereIsNoEndpointWithoutListeners(RedisServer redis) {
		ActuatorApplications.on(redis)
			.withPropertyValues("redis.streams.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(RedisStreamsEndpoint.class));
	}

	// As an application finds it: not by its class, which could not be loaded
	@Test
	void withoutActuatorTheListenersStillWork(RedisServer redis) {
		new ApplicationContextRunner().withUserConfiguration(Imports.class, Application.class)
			.withClassLoader(new FilteredClassLoader("org.springframework.boot.actuate"))
			.withPropertyValues("spring.application.name=billing", "spring.data.redis.host=127.0.0.1",
					"spring.data.redis.port=" + redis.port())
			.run((context) -> {
				assertThat(context).hasNotFailed().doesNotHaveBean("redisStreamsEndpoint");
				redis.add("events", "payload", "one");
				await().until(() -> context.getBean(Application.class).handled.contains("one"));
			});
	}

	@Test
	void leavesTheUsersEndpointInPlace(RedisServer redis) {
		RedisStreamsEndpoint own = mock(RedisStreamsEndpoint.class);
		ActuatorApplications.on(redis)
			.withBean("own", RedisStreamsEndpoint.class, () -> own)
			.run((context) -> assertThat(context).hasSingleBean(RedisStreamsEndpoint.class)
				.getBean(RedisStreamsEndpoint.class)
				.isSameAs(own));
	}

	@Test
	void bindsItsProperties(RedisServer redis) {
		on(redis)
			.withPropertyValues(JMX, "management.endpoint.redisstreams.show-values=ALWAYS",
					"management.endpoint.redisstreams.roles=A,B", "management.endpoint.redisstreams.timeout=7s")
			.run((context) -> {
				RedisStreamsEndpointProperties properties = context.getBean(RedisStreamsEndpointProperties.class);
				assertThat(properties.getShowValues()).hasToString("ALWAYS");
				assertThat(properties.getRoles()).containsExactlyInAnyOrder("A", "B");
				assertThat(properties.getTimeout()).isEqualTo(Duration.ofSeconds(7));
			});
	}

	@Test
	void worksOverJmx(RedisServer redis) {
		on(redis).withPropertyValues(JMX).run((context) -> {
			assertThat(context).hasNotFailed().doesNotHaveBean(RedisStreamsEndpointWebExtension.class);
			MBeanServer server = ManagementFactory.getPlatformMBeanServer();
			ObjectName name = new ObjectName("org.springframework.boot:type=Endpoint,name=Redisstreams");
			assertThat(server.getMBeanInfo(name).getOperations()).extracting(MBeanOperationInfo::getName)
				.containsExactlyInAnyOrder("listeners", "listener", "perform");
			redis.add("{app:events}:dlq", "payload", "mended");
			Object details = server.invoke(name, "listener", new Object[] { "events" },
					new String[] { String.class.getName() });
			assertThat(details).asInstanceOf(InstanceOfAssertFactories.MAP)
				.containsEntry("id", "events")
				.containsKeys("listener", "groups", "consumers", "mostDelivered", "deadLetters");
			assertThat(details.toString()).doesNotContain("mended");
			Object result = perform(server, name,
					Map.of("listenerId", "events", "action", "redrive", "maximum", 5, "dryRun", false));
			assertThat(result).asInstanceOf(InstanceOfAssertFactories.MAP)
				.containsEntry("outcome", "DONE")
				.hasEntrySatisfying("result", (redriven) -> assertThat(redriven.toString()).contains("redriven=1"));
			await().until(() -> context.getBean(Application.class).handled.contains("mended"));
			await().untilAsserted(() -> assertThat(context.getBean(Application.class).audited).singleElement()
				.satisfies((event) -> assertThat(event.getPrincipal()).isEmpty()));
			assertThatExceptionOfType(ReflectionException.class)
				.isThrownBy(() -> perform(server, name, Map.of("listenerId", "events", "action", "purge")))
				.withMessageContaining("Say which: either 'ids', or all of 'from', 'to' and 'maximum'");
		});
	}

	// As a console would, with what is not given as null
	private static Object perform(MBeanServer server, ObjectName name, Map<String, Object> parameters)
			throws Exception {
		MBeanParameterInfo[] signature = Stream.of(server.getMBeanInfo(name).getOperations())
			.filter((operation) -> operation.getName().equals("perform"))
			.findFirst()
			.orElseThrow()
			.getSignature();
		return server.invoke(name, "perform",
				Stream.of(signature).map((parameter) -> parameters.get(parameter.getName())).toArray(),
				Stream.of(signature).map(MBeanParameterInfo::getType).toArray(String[]::new));
	}

	@Test
	void isAnEndpointLikeAnyOtherInCode(RedisServer redis) {
		on(redis).withPropertyValues(JMX).run((context) -> {
			RedisStreamsEndpoint endpoint = context.getBean(RedisStreamsEndpoint.class);
			assertThat(endpoint.listeners().listeners()).containsOnlyKeys("events", "other");
			assertThat(endpoint.listener("none")).isNull();
			ActionDescriptor paused = endpoint.perform("events", "pause", null, null, null, null, null, null);
			assertThat(paused.outcome()).isEqualTo(ActionDescriptor.Outcome.DONE);
			assertThat(paused.result()).isNull();
			assertThatExceptionOfType(InvalidEndpointRequestException.class)
				.isThrownBy(() -> endpoint.perform("none", "pause", null, null, null, null, null, null))
				.satisfies((ex) -> assertThat(ex.getReason())
					.isEqualTo("There is no listener 'none'. There are: events, other"));
			await().untilAsserted(() -> assertThat(context.getBean(Application.class).audited).singleElement()
				.satisfies((event) -> assertThat(event.getData())
					.isEqualTo(Map.of("listener", "events", "action", "pause", "outcome", "success"))));
		});
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ DataRedisAutoConfiguration.class, JacksonAutoConfiguration.class,
			RedisStreamsAutoConfiguration.class, RedisStreamsEndpointAutoConfiguration.class })
	static class Imports {

	}

}
