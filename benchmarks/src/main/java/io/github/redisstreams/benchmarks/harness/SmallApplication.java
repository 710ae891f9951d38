package io.github.redisstreams.benchmarks.harness;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;

/**
 * A Spring Boot application without anything but what the class path configures, and
 * without a web server.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
public class SmallApplication {

	/**
	 * Begin to build one.
	 * @param port where Redis listens
	 * @param properties one {@code name=value} each
	 * @return the builder
	 */
	public static SpringApplicationBuilder at(int port, String... properties) {
		return new SpringApplicationBuilder(SmallApplication.class).web(WebApplicationType.NONE)
			.properties("spring.main.banner-mode=off", "logging.level.root=warn", "spring.data.redis.port=" + port)
			.properties(properties);
	}

}
