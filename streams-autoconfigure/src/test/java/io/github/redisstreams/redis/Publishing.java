package io.github.redisstreams.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

import io.github.redisstreams.test.LettuceFactories;
import io.github.redisstreams.test.RedisServer;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration.LettuceClientConfigurationBuilder;

/**
 * The port to Redis as one that writes to streams uses it, with all replies awaited.
 */
final class Publishing implements AutoCloseable {

	private static final int SECONDS = 20;

	private final LettuceFactories factories = new LettuceFactories();

	final LettuceStreamCommands commands;

	private Publishing(RedisConfiguration servers, Consumer<LettuceClientConfigurationBuilder> client) {
		this.commands = new LettuceStreamCommands(this.factories.to(servers, client));
	}

	static Publishing to(RedisServer server) {
		return to(server.port(), (client) -> {
		});
	}

	static Publishing to(int port, Consumer<LettuceClientConfigurationBuilder> client) {
		return to(new RedisStandaloneConfiguration("127.0.0.1", port), client);
	}

	static Publishing to(RedisConfiguration servers, Consumer<LettuceClientConfigurationBuilder> client) {
		return new Publishing(servers, client);
	}

	/**
	 * As a user who may do all but some things.
	 * @param rules what else the user may or may not do, as {@code ACL SETUSER} has it
	 */
	static Publishing asUser(RedisServer server, String... rules) {
		List<String> words = new ArrayList<>(
				List.of("ACL", "SETUSER", "app", "reset", "on", ">secret", "~*", "&*", "+@all"));
		words.addAll(Arrays.asList(rules));
		server.command(words.toArray(String[]::new));
		RedisStandaloneConfiguration configuration = new RedisStandaloneConfiguration("127.0.0.1", server.port());
		configuration.setUsername("app");
		configuration.setPassword("secret");
		return to(configuration, (client) -> {
		});
	}

	static List<byte[]> fields(String... namesAndValues) {
		return Arrays.stream(namesAndValues).map((word) -> word.getBytes(StandardCharsets.UTF_8)).toList();
	}

	static NewEntry plain(String stream, String... namesAndValues) {
		return new NewEntry(stream, fields(namesAndValues));
	}

	static NewEntry trimming(String stream, TrimMode mode, long maxLength, Duration retention) {
		return new NewEntry(stream, fields("n", "new"), new Trimming(mode, maxLength, retention), null, null);
	}

	static NewEntry task(String stream, @Nullable String id, Duration retention) {
		return new NewEntry(stream, fields("n", "task"), Trimming.NONE, new NewTask(id, retention), null);
	}

	Added add(NewEntry entry) {
		return get(this.commands.publishing().add(entry));
	}

	/**
	 * The id of what must have been added.
	 */
	EntryId id(NewEntry entry) {
		return Objects.requireNonNull(add(entry).id());
	}

	Added schedule(NewEntry entry, String id, DueTime due) {
		return get(this.commands.publishing().schedule(entry, id, due, Durability.NONE));
	}

	Added scheduleInAnHour(NewEntry entry, String id) {
		return schedule(entry, id, DueTime.after(Duration.ofHours(1)));
	}

	boolean cancel(String stream, String id) {
		return get(this.commands.publishing().cancel(stream, id));
	}

	boolean reschedule(String stream, String id, DueTime due) {
		return get(this.commands.publishing().reschedule(stream, id, due));
	}

	/** Makes a scheduled entry one that has been due for long. */
	void makeDue(String stream, String id) {
		if (!reschedule(stream, id, DueTime.at(Instant.ofEpochSecond(1)))) {
			throw new AssertionError(id + " is not scheduled");
		}
	}

	Promotion promote(String stream) {
		return get(this.commands.publishing().promote(stream, Trimming.NONE));
	}

	Optional<StreamTask> find(String stream, String id) {
		return this.commands.tasks().find(stream, id);
	}

	@Nullable TaskState state(String stream, String id) {
		return find(stream, id).map(StreamTask::state).orElse(null);
	}

	/**
	 * What a command gives, or what it fails with.
	 */
	static <T> T get(CompletionStage<T> stage) {
		try {
			return stage.toCompletableFuture().get(SECONDS, TimeUnit.SECONDS);
		}
		catch (ExecutionException ex) {
			if (ex.getCause() instanceof RuntimeException failure) {
				throw failure;
			}
			throw new AssertionError(ex);
		}
		catch (InterruptedException | TimeoutException ex) {
			throw new AssertionError(ex);
		}
	}

	@Override
	public void close() {
		this.commands.close();
		this.factories.close();
	}

}
