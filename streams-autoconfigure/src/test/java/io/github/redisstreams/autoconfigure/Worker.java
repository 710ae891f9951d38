package io.github.redisstreams.autoconfigure;

import java.util.concurrent.CountDownLatch;

import io.github.redisstreams.annotation.StreamListener;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.stream.RecordId;

/**
 * An application in a process of its own, whose handlers never return.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
class Worker {

	public static void main(String[] args) {
		SpringApplication.run(Worker.class, args);
	}

	@StreamListener("events")
	void handle(RecordId id) throws InterruptedException {
		System.out.println("handling " + id);
		new CountDownLatch(1).await();
	}

}
