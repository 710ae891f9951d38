package io.github.redisstreams.listener;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

import io.github.redisstreams.redis.LettuceStreamCommands;
import io.github.redisstreams.test.LettuceFactories;
import io.github.redisstreams.test.RedisServer;

import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration.LettuceClientConfigurationBuilder;

/**
 * Listener containers of one test on stream {@code s} and group {@code g}, each with
 * connections of its own, as instances of an application have them. Stopped together.
 */
final class Containers implements AutoCloseable {

	private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(2);

	private final Supplier<RedisConfiguration> servers;

	private final Consumer<LettuceClientConfigurationBuilder> client;

	private final LettuceFactories factories = new LettuceFactories();

	private final List<StreamListenerContainer> containers = new ArrayList<>();

	private final List<LettuceStreamCommands> commands = new ArrayList<>();

	private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

	private final AtomicInteger threads = new AtomicInteger();

	private ContainerEvents events = ContainerEvents.NONE;

	Containers(RedisServer server) {
		this(server.port());
	}

	Containers(int port) {
		this(() -> new RedisStandaloneConfiguration("127.0.0.1", port));
	}

	Containers(Supplier<RedisConfiguration> servers) {
		this(servers, (client) -> {
		});
	}

	/**
	 * Containers of an application with a client of its own making.
	 */
	Containers(Supplier<RedisConfiguration> servers, Consumer<LettuceClientConfigurationBuilder> client) {
		this.servers = servers;
		this.client = client;
	}

	/**
	 * Tell what happens to the containers that are created from now on.
	 */
	Containers tell(ContainerEvents events) {
		this.events = events;
		return this;
	}

	/**
	 * A container that is not started.
	 */
	StreamListenerContainer create(String consumer, UnaryOperator<ListenerOptions.Builder> options,
			EntryHandler handler) {
		return create(consumer, "", "", options, handler);
	}

	/**
	 * A container that connects as the given user.
	 */
	StreamListenerContainer create(String consumer, String user, String password,
			UnaryOperator<ListenerOptions.Builder> options, EntryHandler handler) {
		RedisConfiguration configuration = this.servers.get();
		if (!user.isEmpty() && configuration instanceof RedisConfiguration.WithAuthentication authenticated) {
			authenticated.setUsername(user);
			authenticated.setPassword(password);
		}
		LettuceStreamCommands commands = commands(configuration);
		ListenerOptions.Builder builder = ListenerOptions.builder()
			.stream("s")
			.group("g")
			.consumer(consumer)
			.pollTimeout(Duration.ofMillis(500))
			.shutdownTimeout(Duration.ofSeconds(5));
		StreamListenerContainer container = new StreamListenerContainer(consumer,
				options.apply(builder).build(consumer, "test"), handler, commands, this.timer,
				(task) -> new Thread(task, "worker-" + consumer + "-" + this.threads.incrementAndGet()),
				new ContainerObservers(this.events, List.of()));
		this.containers.add(container);
		return container;
	}

	/**
	 * The port to Redis, with connections of its own.
	 */
	LettuceStreamCommands commands() {
		return commands(this.servers.get());
	}

	private LettuceStreamCommands commands(RedisConfiguration configuration) {
		LettuceStreamCommands commands = new LettuceStreamCommands(this.factories.to(configuration,
				this.client.andThen((client) -> client.commandTimeout(COMMAND_TIMEOUT))));
		this.commands.add(commands);
		return commands;
	}

	/**
	 * A started container, whose group is there.
	 */
	StreamListenerContainer start(String consumer, UnaryOperator<ListenerOptions.Builder> options,
			EntryHandler handler) {
		StreamListenerContainer container = create(consumer, options, handler);
		container.start().join();
		return container;
	}

	/**
	 * A started container with the options that this class sets.
	 */
	StreamListenerContainer start(String consumer, EntryHandler handler) {
		return start(consumer, UnaryOperator.identity(), handler);
	}

	@Override
	public void close() {
		this.containers.parallelStream().forEach(StreamListenerContainer::stop);
		this.commands.forEach(LettuceStreamCommands::close);
		this.factories.close();
		this.timer.shutdownNow();
	}

	/**
	 * Remembers what it was given, in that order, and succeeds.
	 */
	static class Recorder implements EntryHandler {

		private final List<Delivery> deliveries = new CopyOnWriteArrayList<>();

		@Override
		public void handle(List<Delivery> deliveries) throws Exception {
			this.deliveries.addAll(deliveries);
		}

		List<Delivery> deliveries() {
			return this.deliveries;
		}

		List<String> ids() {
			return this.deliveries.stream().map((delivery) -> delivery.entry().id().toString()).toList();
		}

		List<Long> counts() {
			return this.deliveries.stream().map((delivery) -> delivery.entry().deliveryCount()).toList();
		}

		int size() {
			return this.deliveries.size();
		}

	}

	/**
	 * Remembers what it was given, and waits in the handler until it is opened.
	 */
	static final class Gate extends Recorder {

		private final CountDownLatch open = new CountDownLatch(1);

		private final AtomicInteger done = new AtomicInteger();

		private final AtomicInteger interrupted = new AtomicInteger();

		@Override
		public void handle(List<Delivery> deliveries) throws Exception {
			super.handle(deliveries);
			try {
				this.open.await();
				this.done.addAndGet(deliveries.size());
			}
			catch (InterruptedException ex) {
				this.interrupted.incrementAndGet();
				throw ex;
			}
		}

		void open() {
			this.open.countDown();
		}

		int done() {
			return this.done.get();
		}

		int interrupted() {
			return this.interrupted.get();
		}

	}

}
