package io.github.redisstreams.config;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;

import io.github.redisstreams.StreamsConfigurationException;
import io.github.redisstreams.annotation.EnableStreamListeners;
import io.github.redisstreams.annotation.StreamListener;
import io.github.redisstreams.test.Entries;
import io.github.redisstreams.test.RecordingContainerFactory;
import org.junit.jupiter.api.Test;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.MethodParameter;
import org.springframework.core.annotation.Order;
import org.springframework.messaging.Message;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.messaging.handler.invocation.HandlerMethodArgumentResolver;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for listeners and argument resolvers that {@link StreamListenerConfigurer} beans
 * add.
 */
class StreamListenerConfigurerTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withUserConfiguration(Infrastructure.class);

	@Test
	void endpointsAreRegisteredInCodeAfterTheAnnotatedOnes() {
		this.runner.withUserConfiguration(Annotated.class, TwoEndpoints.class).run((context) -> {
			RecordingContainerFactory listeners = context.getBean(RecordingContainerFactory.class);
			assertThat(listeners.ids()).containsExactly("annotated", "in-code", "second");
			assertThat(listeners.options("in-code").stream()).isEqualTo("in-code");
			listeners.handle("in-code", Entries.payload("x"));
			assertThat(context.getBean(TwoEndpoints.class).handled).containsExactly("events of in-code");
			assertThat(context.getBean(StreamListenerRegistry.class).getContainer("in-code")).isNotNull();
		});
	}

	@Test
	void anEndpointInCodeWithTheIdOfAnAnnotatedOneIsAnErrorThatNamesBoth() {
		this.runner.withUserConfiguration(Annotated.class, Clash.class)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(StreamsConfigurationException.class)
				.hasMessageContaining("'annotated'")
				.hasMessageContaining("Annotated.handle(String)")
				.hasMessageContaining("Clash"));
	}

	@Test
	void argumentResolversOfAllConfigurersAreAsked() {
		this.runner.withUserConfiguration(Resolvers.class, Tenants.class).run((context) -> {
			context.getBean(RecordingContainerFactory.class)
				.handle("tenants", Entries.payload("x", "tenant", "acme", "region", "eu"));
			assertThat(context.getBean(Tenants.class).handled).containsExactly("x of acme in eu and acme");
		});
	}

	@Configuration(proxyBeanMethods = false)
	@EnableStreamListeners
	static class Infrastructure {

		@Bean
		RecordingContainerFactory streamListenerContainerFactory() {
			return new RecordingContainerFactory();
		}

	}

	static class Annotated {

		@StreamListener("annotated")
		void handle(String payload) {
		}

	}

	static class TwoEndpoints implements StreamListenerConfigurer {

		private final List<String> handled = new CopyOnWriteArrayList<>();

		@Override
		public void registerEndpoints(StreamListenerRegistrar registrar) {
			registrar.register(StreamListenerEndpoint.of("in-code",
					(deliveries) -> this.handled.add("events of " + deliveries.get(0).stream())));
			registrar.register(StreamListenerEndpoint.of("second", (deliveries) -> {
			}));
		}

	}

	static class Clash implements StreamListenerConfigurer {

		@Override
		public void registerEndpoints(StreamListenerRegistrar registrar) {
			registrar.register(StreamListenerEndpoint.of("annotated", (deliveries) -> {
			}));
		}

	}

	record Tenant(String name) {

	}

	record Region(String name) {

	}

	@Configuration(proxyBeanMethods = false)
	static class Resolvers {

		@Bean
		@Order(2)
		StreamListenerConfigurer tenants() {
			return new StreamListenerConfigurer() {

				@Override
				public void addArgumentResolvers(List<HandlerMethodArgumentResolver> resolvers) {
					resolvers.add(resolver(Tenant.class, (message) -> new Tenant(header(message, "tenant"))));
				}

			};
		}

		@Bean
		@Order(1)
		StreamListenerConfigurer regions() {
			return new StreamListenerConfigurer() {

				@Override
				public void addArgumentResolvers(List<HandlerMethodArgumentResolver> resolvers) {
					resolvers.add(resolver(Region.class, (message) -> new Region(header(message, "region"))));
				}

			};
		}

		private static String header(Message<?> message, String name) {
			return String.valueOf(message.getHeaders().get(name));
		}

		private static HandlerMethodArgumentResolver resolver(Class<?> type, Function<Message<?>, Object> argument) {
			return new HandlerMethodArgumentResolver() {

				@Override
				public boolean supportsParameter(MethodParameter parameter) {
					return parameter.getParameterType() == type;
				}

				@Override
				public Object resolveArgument(MethodParameter parameter, Message<?> message) {
					return argument.apply(message);
				}

			};
		}

	}

	static class Tenants {

		private final List<String> handled = new CopyOnWriteArrayList<>();

		@StreamListener("tenants")
		void handle(String payload, Tenant tenant, Region region, @Header("tenant") String header) {
			this.handled.add(payload + " of " + tenant.name() + " in " + region.name() + " and " + header);
		}

	}

}
