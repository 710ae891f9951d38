package io.github.redisstreams.benchmarks.sender;

import java.time.Duration;
import java.util.Collections;
import java.util.concurrent.CompletableFuture;
import java.util.function.ObjIntConsumer;
import java.util.stream.IntStream;

import io.github.redisstreams.benchmarks.harness.SmallApplication;
import io.github.redisstreams.publish.StreamTemplate;

import org.springframework.context.ConfigurableApplicationContext;

/**
 * {@code StreamTemplate} as an application with the starter has it.
 */
final class OursSending implements Sending {

	static final String NO_TRIM = "redis.streams.publisher.trim=none";

	private final ConfigurableApplicationContext application;

	private final StreamTemplate template;

	private final String stream;

	private final Object payload;

	private final ObjIntConsumer<OursSending> way;

	OursSending(SendJob job, Content content, ObjIntConsumer<OursSending> way, String... properties) {
		this.application = SmallApplication.at(job.port(), properties).run();
		this.template = this.application.getBean(StreamTemplate.class);
		this.stream = job.stream();
		this.payload = content.payload();
		this.way = way;
	}

	@Override
	public void send(int count) {
		this.way.accept(this, count);
	}

	void oneByOne(int count) {
		for (int i = 0; i < count; i++) {
			this.template.send(this.stream, this.payload);
		}
	}

	void delayed(int count) {
		for (int i = 0; i < count; i++) {
			this.template.sendAfter(this.stream, this.payload, Duration.ofHours(1));
		}
	}

	void async(int count) {
		CompletableFuture
			.allOf(IntStream.range(0, count)
				.mapToObj((i) -> this.template.sendAsync(this.stream, this.payload))
				.toArray(CompletableFuture[]::new))
			.join();
	}

	void together(int count) {
		this.template.sendAll(this.stream, Collections.nCopies(count, this.payload));
	}

	@Override
	public void close() {
		this.application.close();
	}

}
