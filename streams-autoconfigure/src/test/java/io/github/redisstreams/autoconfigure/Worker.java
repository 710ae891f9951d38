package io.github.redisstreams.autoconfigure;

import java.util.concurrent.CountDownLatch;

import io.github.redisstreams.annotation.StreamListener;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.stream.RecordId;

/**
 * An application in a process of its own, whose handlers never return.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
class Worker {

	public static void main(String[] args) {
		new SpringApplicationBuilder(Worker.class).web(WebApplicationType.NONE).run(args);
	}

	@StreamListener("events")
	void handle(RecordId id) throws InterruptedException {
		System.out.println("handling " + id);
		new CountDownLatch(1).await();
	}

}
