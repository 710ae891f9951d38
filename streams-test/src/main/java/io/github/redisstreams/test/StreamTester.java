package io.github.redisstreams.test;

import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.github.redisstreams.config.ListenerSettings;
import io.github.redisstreams.config.StreamListenerRegistry;
import io.github.redisstreams.deadletter.DeadLetters;
import io.github.redisstreams.listener.ListenerOptions;
import io.github.redisstreams.listener.StreamListenerContainer;
import io.github.redisstreams.redis.StreamCommands;
import io.github.redisstreams.redis.StreamKeys;
import io.github.redisstreams.support.EntryMessageConverter;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.util.Assert;

/**
 * Looks at the streams of an application from its tests. With Spring Boot it is a bean
 * wherever a test has
 * {@link io.github.redisstreams.test.autoconfigure.StreamListenerTest @StreamListenerTest}
 * or
 * {@link io.github.redisstreams.test.autoconfigure.AutoConfigureStreamTester @AutoConfigureStreamTester}:
 *
 * <pre class="code">
 * streams.send("events", order);
 * tester.awaitDrained("events");
 * assertThat(tester.stream("events")).hasNoDeadLetters();
 * </pre>
 *
 * A stream is named as the application names it: by the id of a listener, by the name of
 * an entry under {@code redis.streams.listeners}, or by its key. Safe for use from many
 * threads.
 */
public final class StreamTester {

	/**
	 * How long {@link #awaitDrained(String)} waits.
	 */
	public static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(10);

	private final StreamListenerRegistry registry;

	private final ListenerSettings settings;

	private final StringRedisTemplate redis;

	private final StreamSources sources;

	/**
	 * Create a new tester.
	 * @param registry has the listeners
	 * @param settings says what streams names stand for
	 * @param commands reads groups and entries
	 * @param deadLetters reads dead letters
	 * @param converter reads payloads
	 * @param connectionFactory connects to the Redis that has the streams
	 */
	public StreamTester(StreamListenerRegistry registry, ListenerSettings settings, StreamCommands commands,
			DeadLetters deadLetters, EntryMessageConverter converter, RedisConnectionFactory connectionFactory) {
		this.registry = registry;
		this.settings = settings;
		this.redis = new StringRedisTemplate(connectionFactory);
		this.sources = new StreamSources(commands, deadLetters, converter, this.redis);
	}

	/**
	 * A stream, for the group of the listener that reads it here. Without such a listener
	 * there is no group to ask about, and only its entries, scheduled entries and dead
	 * letters can be looked at.
	 * @param name the id of a listener, or the stream's name or key
	 * @return the stream
	 * @throws IllegalArgumentException if several listeners read that stream, and the
	 * name is the id of none
	 */
	public TestedStream stream(String name) {
		StreamListenerContainer listener = this.registry.getContainer(name);
		if (listener != null) {
			return of(name, listener);
		}
		List<StreamListenerContainer> readers = readers(name);
		Assert.isTrue(readers.size() < 2,
				() -> "Several listeners read stream '" + name + "'. Name one of them by its id: "
						+ String.join(", ", readers.stream().map(StreamListenerContainer::getId).toList()));
		return readers.isEmpty() ? new TestedStream(this.sources, name, this.settings.streamKey(name), null, null)
				: of(name, readers.get(0));
	}

	private static boolean isFor(StreamListenerContainer listener, String group) {
		return listener.getOptions().group().equals(group);
	}

	private TestedStream of(String name, StreamListenerContainer listener) {
		ListenerOptions options = listener.getOptions();
		return new TestedStream(this.sources, name, options.stream(), options.group(), listener);
	}

	private List<StreamListenerContainer> readers(String name) {
		String key = this.settings.streamKey(name);
		return this.registry.getContainers()
			.stream()
			.filter((listener) -> listener.getOptions().stream().equals(key))
			.toList();
	}

	/**
	 * A stream, for a group that may be that of another application.
	 * @param name the stream's name or key
	 * @param group the group's name
	 * @return the stream
	 */
	public TestedStream stream(String name, String group) {
		@Nullable StreamListenerContainer listener = readers(name).stream()
			.filter((reader) -> isFor(reader, group))
			.findFirst()
			.orElse(null);
		return new TestedStream(this.sources, name, this.settings.streamKey(name), group, listener);
	}

	/**
	 * Wait until the streams of all listeners are drained at the same time, as
	 * {@link #awaitDrained(String)} says: also of what handlers send from one to another.
	 * Waits for {@link #DEFAULT_TIMEOUT}.
	 * @throws AssertionError if they are not by then, which says what is still there
	 */
	public void awaitDrained() {
		List<TestedStream> all = this.registry.getContainers()
			.stream()
			.map((listener) -> of(listener.getId(), listener))
			.toList();
		Drained.await(all, DEFAULT_TIMEOUT);
	}

	/**
	 * Wait until all that was added to a stream is handled: nothing is scheduled for it,
	 * its group has been given every entry, and each is acknowledged or has become a dead
	 * letter. An entry that waits for a retry is not handled yet. What handlers do before
	 * they return has been done by then, {@code @SendTo} included. Waits for
	 * {@link #DEFAULT_TIMEOUT}.
	 * @param name the id of a listener, or the stream's name or key
	 * @throws AssertionError if it is not by then, which says what is still there
	 */
	public void awaitDrained(String name) {
		awaitDrained(name, DEFAULT_TIMEOUT);
	}

	/**
	 * Wait until all that was added to a stream is handled.
	 * @param name the id of a listener, or the stream's name or key
	 * @param timeout how long to wait
	 * @throws AssertionError if it is not by then, which says what is still there
	 * @see #awaitDrained(String)
	 */
	public void awaitDrained(String name, Duration timeout) {
		Drained.await(List.of(stream(name)), timeout);
	}

	/**
	 * Begin anew: stop the listeners, delete their streams with all that belongs to them
	 * (groups, dead letters, scheduled entries, tasks), and start those listeners again
	 * that were running. A handler that still runs has its {@code shutdown-timeout} to
	 * end. What counters have counted they keep.
	 * <p>
	 * Meant for {@code @BeforeEach}. It deletes the streams in whatever Redis the test is
	 * connected to.
	 * @param others names or keys of further streams to delete, such as those that
	 * handlers send to and no listener reads
	 */
	public void clean(String... others) {
		Collection<StreamListenerContainer> listeners = this.registry.getContainers();
		List<StreamListenerContainer> running = listeners.stream().filter(StreamListenerContainer::isRunning).toList();
		running.forEach(StreamListenerContainer::stop);
		Set<String> streams = new LinkedHashSet<>();
		Set<String> keys = new LinkedHashSet<>();
		for (StreamListenerContainer listener : listeners) {
			streams.add(listener.getOptions().stream());
			keys.add(listener.getOptions().deadLetterStream());
		}
		Arrays.stream(others).map(this.settings::streamKey).forEach(streams::add);
		streams.forEach((stream) -> keysOf(stream).forEach(keys::add));
		this.redis.delete(keys);
		CompletableFuture<?>[] starts = running.stream()
			.map(StreamListenerContainer::start)
			.toArray(CompletableFuture[]::new);
		CompletableFuture.allOf(starts).orTimeout(DEFAULT_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS).join();
	}

	private Stream<String> keysOf(String stream) {
		String companions = StreamKeys.deadLetters(stream).replaceFirst(":dlq$", ":");
		return Stream.concat(Stream.of(stream), this.redis.keys(quoted(companions) + "*").stream());
	}

	private static String quoted(String text) {
		return text.replaceAll("[\\\\*?\\[\\]]", "\\\\$0");
	}

}
