package io.github.redisstreams.benchmarks;

import java.io.IOException;
import java.util.Set;

import io.github.redisstreams.benchmarks.harness.RedisProcess;
import io.github.redisstreams.publish.DefaultStreamTemplate;
import io.github.redisstreams.publish.DelayedPromoter;
import io.github.redisstreams.publish.PublishEvents;
import io.github.redisstreams.publish.PublisherOptions;
import io.github.redisstreams.publish.PublisherSettings;
import io.github.redisstreams.publish.StreamTemplate;
import io.github.redisstreams.redis.LettuceStreamCommands;
import io.github.redisstreams.redis.Trimming;
import io.github.redisstreams.support.EntryMessageConverter;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * A server, and what it takes to write to it. In this JVM, since what is measured is the
 * server.
 */
final class Publisher implements AutoCloseable {

	private final RedisProcess redis = RedisProcess.start();

	private final LettuceConnectionFactory factory = new LettuceConnectionFactory("127.0.0.1", this.redis.port());

	private final LettuceStreamCommands commands;

	Publisher() throws IOException, InterruptedException {
		this.factory.afterPropertiesSet();
		this.factory.start();
		this.commands = new LettuceStreamCommands(this.factory);
	}

	RedisProcess redis() {
		return this.redis;
	}

	StreamTemplate template(Trimming trimming) {
		PublisherOptions defaults = PublisherOptions.DEFAULTS;
		PublisherOptions options = new PublisherOptions(trimming, defaults.tracking(), defaults.taskRetention(),
				defaults.durability());
		return new DefaultStreamTemplate(this.commands, new EntryMessageConverter(JsonMapper.shared()),
				new PublisherSettings() {

					@Override
					public PublisherOptions options(String stream) {
						return options;
					}

				}, new PublishEvents() {
				});
	}

	DelayedPromoter promoter(String stream, PublishEvents events) {
		DelayedPromoter promoter = new DelayedPromoter(this.commands, PublisherSettings.DEFAULTS, () -> Set.of(stream),
				events, 0);
		promoter.start();
		return promoter;
	}

	@Override
	public void close() throws IOException {
		this.commands.close();
		this.factory.destroy();
		this.redis.close();
	}

}
