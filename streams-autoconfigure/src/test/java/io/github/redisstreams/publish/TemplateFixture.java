package io.github.redisstreams.publish;

import io.github.redisstreams.redis.LettuceStreamCommands;
import io.github.redisstreams.support.EntryMessageConverter;
import io.github.redisstreams.test.LettuceFactories;
import io.github.redisstreams.test.RedisServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import tools.jackson.databind.json.JsonMapper;

/**
 * What tests of a {@link StreamTemplate} on a real server begin and end with.
 */
abstract class TemplateFixture {

	final LettuceFactories factories = new LettuceFactories();

	final EntryMessageConverter converter = new EntryMessageConverter(JsonMapper.shared());

	LettuceStreamCommands commands;

	StreamTemplate template;

	@BeforeEach
	void connect(RedisServer redis) {
		this.commands = new LettuceStreamCommands(this.factories.to(redis.port()));
		this.template = new DefaultStreamTemplate(this.commands, this.converter);
	}

	@AfterEach
	void disconnect() {
		this.commands.close();
		this.factories.close();
	}

}
