package io.github.redisstreams.autoconfigure.actuate;

import java.util.List;

import io.github.redisstreams.autoconfigure.actuate.Actuator.Reply;
import io.github.redisstreams.autoconfigure.actuate.ActuatorApplications.Application;
import io.github.redisstreams.test.RealRedis;
import io.github.redisstreams.test.RedisServer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.actuate.audit.AuditEvent;
import org.springframework.boot.actuate.audit.AuditEventRepository;
import org.springframework.boot.actuate.audit.InMemoryAuditEventRepository;
import org.springframework.boot.actuate.autoconfigure.audit.AuditAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.audit.AuditEventsEndpointAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.security.autoconfigure.SecurityAutoConfiguration;
import org.springframework.boot.security.autoconfigure.UserDetailsServiceAutoConfiguration;
import org.springframework.boot.security.autoconfigure.actuate.web.servlet.EndpointRequest;
import org.springframework.boot.security.autoconfigure.actuate.web.servlet.ManagementWebSecurityAutoConfiguration;
import org.springframework.boot.security.autoconfigure.web.servlet.SecurityFilterAutoConfiguration;
import org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpMethod;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The endpoint over HTTP, in an application with Spring Security: bob may look, ann may
 * act, too.
 */
@RealRedis
class RedisStreamsEndpointSecurityTests {

	private static final String PAUSE = "{\"action\":\"pause\"}";

	private static final String CONTENT = "/deadLetters/recent/0/fields/payload";

	private RedisServer redis;

	private WebApplicationContextRunner runner;

	@BeforeEach
	void open(RedisServer redis) {
		this.redis = redis;
		this.runner = ActuatorApplications.on(redis)
			.withConfiguration(AutoConfigurations.of(SecurityAutoConfiguration.class,
					ServletWebSecurityAutoConfiguration.class, SecurityFilterAutoConfiguration.class,
					UserDetailsServiceAutoConfiguration.class, ManagementWebSecurityAutoConfiguration.class,
					AuditAutoConfiguration.class, AuditEventsEndpointAutoConfiguration.class))
			.withBean(AuditEventRepository.class, InMemoryAuditEventRepository::new)
			.withUserConfiguration(Security.class);
	}

	@Test
	void refusesWhoIsNotKnownAndWhoMayOnlyLook() {
		this.runner.run((context) -> {
			Actuator actuator = Actuator.of(context);
			assertThat(actuator.get("/redisstreams").status()).isEqualTo(401);
			assertThat(actuator.as("bob", "wrong").get("/redisstreams/events").status()).isEqualTo(401);
			assertThat(actuator.post("/redisstreams/events", PAUSE).status()).isEqualTo(401);
			Actuator bob = actuator.as("bob", "secret");
			assertThat(bob.get("/redisstreams").status()).isEqualTo(200);
			assertThat(bob.get("/redisstreams/events").status()).isEqualTo(200);
			assertThat(bob.post("/redisstreams/events", PAUSE).status()).isEqualTo(403);
			assertThat(bob.get("/redisstreams").at("/listeners/events/paused").booleanValue()).isFalse();
		});
	}

	@Test
	void tellsInAuditEventsWhoDidWhat() {
		this.runner.withPropertyValues("management.endpoints.web.exposure.include=redisstreams,auditevents")
			.run((context) -> {
				Actuator ann = Actuator.of(context).as("ann", "secret");
				assertThat(ann.post("/redisstreams/events", PAUSE).text("/state")).isEqualTo("PAUSED");
				await().until(() -> !context.getBean(Application.class).audited.isEmpty());
				List<AuditEvent> events = context.getBean(AuditEventRepository.class)
					.find("ann", null, "REDIS_STREAMS_ACTION");
				assertThat(events).singleElement()
					.satisfies((event) -> assertThat(event.getData()).containsEntry("listener", "events")
						.containsEntry("action", "pause")
						.containsEntry("outcome", "success"));
				Reply reply = ann.get("/auditevents?type=REDIS_STREAMS_ACTION");
				assertThat(reply.text("/events/0/principal")).isEqualTo("ann");
				assertThat(reply.text("/events/0/data/action")).isEqualTo("pause");
			});
	}

	@Test
	void showsContentToWhoIsKnown() {
		this.redis.add("{app:events}:dlq", "payload", "who is who");
		this.runner.withPropertyValues("management.endpoint.redisstreams.show-values=WHEN_AUTHORIZED")
			.run((context) -> assertThat(
					Actuator.of(context).as("bob", "secret").get("/redisstreams/events").text(CONTENT))
				.isEqualTo("who is who"));
	}

	@Test
	void showsContentToThoseInTheRoleAlone() {
		this.redis.add("{app:events}:dlq", "payload", "who is who");
		this.runner
			.withPropertyValues("management.endpoint.redisstreams.show-values=WHEN_AUTHORIZED",
					"management.endpoint.redisstreams.roles=OPS")
			.run((context) -> {
				Actuator actuator = Actuator.of(context);
				assertThat(actuator.as("bob", "secret").get("/redisstreams/events").text(CONTENT)).isEqualTo("******");
				assertThat(actuator.as("ann", "secret").get("/redisstreams/events").text(CONTENT))
					.isEqualTo("who is who");
			});
	}

	@Test
	void neverShowsContentUnlessThatIsConfigured() {
		this.redis.add("{app:events}:dlq", "payload", "who is who");
		this.runner.run((context) -> assertThat(
				Actuator.of(context).as("ann", "secret").get("/redisstreams/events").text(CONTENT))
			.isEqualTo("******"));
	}

	@Configuration(proxyBeanMethods = false)
	static class Security {

		@Bean
		SecurityFilterChain actuator(HttpSecurity http) throws Exception {
			return http.securityMatcher(EndpointRequest.toAnyEndpoint())
				.authorizeHttpRequests((requests) -> requests.requestMatchers(HttpMethod.GET)
					.authenticated()
					.anyRequest()
					.hasRole("OPS"))
				.httpBasic(Customizer.withDefaults())
				.csrf((csrf) -> csrf.disable())
				.build();
		}

		@Bean
		InMemoryUserDetailsManager users() {
			return new InMemoryUserDetailsManager(
					User.withUsername("bob").password("{noop}secret").roles("VIEWER").build(),
					User.withUsername("ann").password("{noop}secret").roles("VIEWER", "OPS").build());
		}

	}

}
