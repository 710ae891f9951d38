package io.github.redisstreams.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

import io.github.redisstreams.test.LettuceFactories;
import io.github.redisstreams.test.RealRedis;
import io.github.redisstreams.test.RedisServer;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.IntegerOutput;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

@RealRedis
class ScriptRunnerTests {

	private static final LuaScript SCRIPT = LuaScript.of("delete-range.lua");

	private final LettuceFactories factories = new LettuceFactories();

	private final List<Thread> askers = new CopyOnWriteArrayList<>();

	private CommandChannel channel;

	private ScriptRunner scripts;

	@BeforeEach
	void open(RedisServer server) {
		this.channel = new CommandChannel(this.factories.to(server.port()).getConnection(), Duration.ofSeconds(5));
		this.scripts = new ScriptRunner(() -> {
			this.askers.add(Thread.currentThread());
			return this.channel;
		});
	}

	@AfterEach
	void close() {
		this.channel.close();
		this.factories.close();
	}

	private static ScriptCall deleteOne() {
		return new ScriptCall(SCRIPT, "s").add("-").add("+").add(1);
	}

	@Test
	void runsAScriptThatTheServerDoesNotKnowYet(RedisServer server) {
		server.addPipelined("s", 3);
		assertThat(this.scripts.send(deleteOne(), () -> new IntegerOutput<>(ByteArrayCodec.INSTANCE)))
			.succeedsWithin(5, TimeUnit.SECONDS)
			.isEqualTo(1L);
		server.command("SCRIPT", "FLUSH");
		assertThat(this.scripts.call(deleteOne(), () -> new IntegerOutput<>(ByteArrayCodec.INSTANCE))).isEqualTo(1L);
	}

	// Whoever asks for a connection may have to establish it, and would wait for
	// itself
	@Test
	void asksForAConnectionOnTheThreadOfTheCallerOnly(RedisServer server) {
		server.addPipelined("s", 3);
		assertThat(this.scripts.send(deleteOne(), () -> new IntegerOutput<>(ByteArrayCodec.INSTANCE)))
			.succeedsWithin(5, TimeUnit.SECONDS)
			.isEqualTo(1L);
		assertThat(this.askers).containsExactly(Thread.currentThread());
	}

}
