package io.github.redisstreams.annotation;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import io.github.redisstreams.autoconfigure.RedisStreamsAutoConfiguration;
import io.github.redisstreams.test.RealRedis;
import io.github.redisstreams.test.RedisServer;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.Test;

import org.springframework.aop.framework.autoproxy.DefaultAdvisorAutoProxyCreator;
import org.springframework.aop.support.NameMatchMethodPointcutAdvisor;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Listeners of an application that creates its beans lazily.
 */
@RealRedis
class LazyInitializationTests {

	private static final Queue<String> handled = new ConcurrentLinkedQueue<>();

	private static final Queue<String> advised = new ConcurrentLinkedQueue<>();

	private static ConfigurableApplicationContext run(RedisServer redis, boolean lazy) {
		handled.clear();
		advised.clear();
		return new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE)
			.registerShutdownHook(false)
			.logStartupInfo(false)
			.properties("spring.main.banner-mode=off", "spring.main.lazy-initialization=" + lazy,
					"spring.data.redis.host=127.0.0.1", "spring.data.redis.port=" + redis.port(),
					"spring.application.name=billing")
			.run();
	}

	@Test
	void listensWhenEverythingIsLazy(RedisServer redis) {
		redis.add("plain", "payload", "a");
		redis.add("proxied", "payload", "b");
		redis.add("lazy", "payload", "c");
		try (ConfigurableApplicationContext context = run(redis, true)) {
			assertThat(context.getBeanFactory().getBeanDefinition("unrelated").isLazyInit()).isTrue();
			assertThat(context.getBeanFactory().containsSingleton("unrelated")).isFalse();
			await().until(() -> handled.size() == 3);
			assertThat(handled).containsExactlyInAnyOrder("a", "b", "c");
			assertThat(advised).containsExactly("handleProxied");
		}
	}

	@Test
	void listensWithLazyBeansOfAnEagerApplication(RedisServer redis) {
		redis.add("lazy", "payload", "c");
		try (ConfigurableApplicationContext context = run(redis, false)) {
			assertThat(context.getBeanFactory().containsSingleton("unrelated")).isTrue();
			await().until(() -> !handled.isEmpty());
			assertThat(handled).containsExactly("c");
		}
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ DataRedisAutoConfiguration.class, JacksonAutoConfiguration.class,
			RedisStreamsAutoConfiguration.class })
	@Import({ Plain.class, Proxied.class, LazyListener.class })
	static class Application {

		@Bean
		Object unrelated() {
			return List.of();
		}

		@Bean
		static DefaultAdvisorAutoProxyCreator autoProxyCreator() {
			DefaultAdvisorAutoProxyCreator creator = new DefaultAdvisorAutoProxyCreator();
			creator.setProxyTargetClass(true);
			return creator;
		}

		@Bean
		static NameMatchMethodPointcutAdvisor advisor() {
			MethodInterceptor noting = (invocation) -> {
				advised.add(invocation.getMethod().getName());
				return invocation.proceed();
			};
			NameMatchMethodPointcutAdvisor advisor = new NameMatchMethodPointcutAdvisor(noting);
			advisor.setMappedName("handleProxied");
			return advisor;
		}

	}

	static class Plain {

		@StreamListener("plain")
		void handle(String payload) {
			handled.add(payload);
		}

	}

	static class Proxied {

		@StreamListener("proxied")
		void handleProxied(String payload) {
			handled.add(payload);
		}

	}

	@Lazy
	static class LazyListener {

		@StreamListener("lazy")
		void handle(String payload) {
			handled.add(payload);
		}

	}

}
