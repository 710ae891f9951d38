package io.github.redisstreams.autoconfigure.actuate;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

import io.github.redisstreams.annotation.StreamListener;
import io.github.redisstreams.autoconfigure.RedisStreamsAutoConfiguration;
import io.github.redisstreams.listener.failure.DeadLetterException;
import io.github.redisstreams.test.RedisServer;

import org.springframework.boot.actuate.audit.AuditEvent;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.jackson.JacksonEndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.web.WebEndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementContextAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.http.converter.autoconfigure.HttpMessageConvertersAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.servlet.autoconfigure.actuate.web.ServletManagementContextAutoConfiguration;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.tomcat.autoconfigure.servlet.TomcatServletWebServerAutoConfiguration;
import org.springframework.boot.web.server.context.ServerPortInfoApplicationContextInitializer;
import org.springframework.boot.web.server.servlet.context.AnnotationConfigServletWebServerApplicationContext;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.error.ErrorMvcAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;

/**
 * Applications with a web server and an actuator.
 */
final class ActuatorApplications {

	private ActuatorApplications() {
	}

	/**
	 * An application of which the endpoint is exposed.
	 */
	static WebApplicationContextRunner on(RedisServer redis) {
		return on(redis.port()).withPropertyValues("management.endpoints.web.exposure.include=redisstreams");
	}

	/**
	 * An application of which no endpoint but health is exposed.
	 */
	static WebApplicationContextRunner on(int port) {
		return new WebApplicationContextRunner(AnnotationConfigServletWebServerApplicationContext::new)
			.withConfiguration(AutoConfigurations.of(TomcatServletWebServerAutoConfiguration.class,
					DispatcherServletAutoConfiguration.class, WebMvcAutoConfiguration.class,
					HttpMessageConvertersAutoConfiguration.class, ErrorMvcAutoConfiguration.class,
					JacksonAutoConfiguration.class, EndpointAutoConfiguration.class, WebEndpointAutoConfiguration.class,
					JacksonEndpointAutoConfiguration.class, ServletManagementContextAutoConfiguration.class,
					ManagementContextAutoConfiguration.class, DataRedisAutoConfiguration.class,
					RedisStreamsAutoConfiguration.class, RedisStreamsEndpointAutoConfiguration.class))
			.withInitializer(new ServerPortInfoApplicationContextInitializer())
			.withUserConfiguration(Application.class)
			.withPropertyValues("server.port=0", "server.address=127.0.0.1", "spring.application.name=billing",
					"spring.data.redis.host=127.0.0.1", "spring.data.redis.port=" + port, "redis.streams.consumer=one",
					"redis.streams.listener.poll-timeout=200ms", "redis.streams.listeners.events.stream=app:events");
	}

	@Configuration(proxyBeanMethods = false)
	static class Application {

		final List<String> handled = new CopyOnWriteArrayList<>();

		final List<AuditEvent> audited = new CopyOnWriteArrayList<>();

		final CountDownLatch open = new CountDownLatch(1);

		@StreamListener("events")
		void handle(String payload) throws InterruptedException {
			if (payload.startsWith("bad")) {
				throw new DeadLetterException("cannot read " + payload);
			}
			if (payload.equals("failing")) {
				throw new IllegalArgumentException("4111 1111 is no number");
			}
			if (payload.equals("slow")) {
				this.open.await();
			}
			this.handled.add(payload);
		}

		@StreamListener(value = "other", autoStartup = "false")
		void handleOthers(String payload) {
		}

		@EventListener
		void on(AuditApplicationEvent event) {
			this.audited.add(event.getAuditEvent());
		}

	}

}
