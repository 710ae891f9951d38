package io.github.redisstreams.redis;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;

import io.github.redisstreams.StreamsConfigurationException;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.ReadFrom;
import io.lettuce.core.SslVerifyMode;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.resource.ClientResources;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.DirectFieldAccessor;
import org.springframework.beans.NotReadablePropertyException;
import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.RedisSystemException;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.RedisCredentialsProviderFactory;
import org.springframework.util.function.SingletonSupplier;

/**
 * Our own connections to where the application's {@link LettuceConnectionFactory} points:
 * same servers, credentials, TLS, database and threads, but always to the master, and
 * with the client options that reading without loss needs.
 */
final class LettuceConnections implements AutoCloseable {

	/**
	 * A command of ours that takes longer than this has failed, however patient the
	 * application's own commands are (Lettuce's default is a minute).
	 */
	private static final Duration LONGEST_COMMAND_TIMEOUT = Duration.ofSeconds(10);

	/** Attempts end sooner, by the connect timeout; this is for what nobody foresees. */
	private static final Duration LONGEST_CONNECT = Duration.ofMinutes(1);

	private static final Duration TOPOLOGY_REFRESH_INTERVAL = Duration.ofSeconds(1);

	private final Duration commandTimeout;

	private final boolean cluster;

	private final SingletonSupplier<LettuceConnectionFactory> shared;

	private final SingletonSupplier<LettuceConnectionFactory> dedicated;

	private final UntracedResources resources = new UntracedResources();

	/** The shared connection, or the attempt to establish it that callers wait for. */
	private final AtomicReference<@Nullable CompletableFuture<CommandChannel>> sharedChannel = new AtomicReference<>();

	private long lastTopologyRefresh = System.nanoTime() - TOPOLOGY_REFRESH_INTERVAL.toNanos();

	LettuceConnections(RedisConnectionFactory connectionFactory) {
		if (!(connectionFactory instanceof LettuceConnectionFactory base)) {
			throw new StreamsConfigurationException(
					"Redis Streams listeners need a LettuceConnectionFactory, but the RedisConnectionFactory is a "
							+ connectionFactory.getClass().getName(),
					"Remove spring.data.redis.client-type or set it to lettuce, or define a LettuceConnectionFactory "
							+ "bean. To run without listeners set redis.streams.enabled=false.");
		}
		this.commandTimeout = shorter(base.getClientConfiguration().getCommandTimeout(), LONGEST_COMMAND_TIMEOUT);
		this.cluster = base.isClusterAware();
		// On a cluster Lettuce mends the connections to single nodes, which we do
		// not see. Elsewhere it would wait up to 30 s before it tries again, and
		// then send commands of unknown fate a second time; the next command of
		// ours connects at once.
		this.shared = SingletonSupplier.of(() -> derive(base, (options) -> options.autoReconnect(this.cluster)
			.timeoutOptions(TimeoutOptions.enabled(this.commandTimeout))));
		// Deadlines of blocking reads depend on each read, so the reader keeps them
		// itself
		this.dedicated = SingletonSupplier
			.of(() -> derive(base, (options) -> options.autoReconnect(false).timeoutOptions(TimeoutOptions.create())));
	}

	private static Duration shorter(Duration first, Duration second) {
		return (first.compareTo(second) < 0 && !first.isZero()) ? first : second;
	}

	private LettuceConnectionFactory derive(LettuceConnectionFactory base, ClientOptionsChange change) {
		LettuceClientConfiguration configuration = new DerivedClientConfiguration(base, this.resources,
				this.commandTimeout, change);
		LettuceConnectionFactory derived = new LettuceConnectionFactory(redisConfiguration(base), configuration);
		derived.setShareNativeConnection(false);
		derived.setEagerInitialization(false);
		// Started at the first use, when the application's factory has certainly started
		derived.setEarlyStartup(false);
		derived.afterPropertiesSet();
		return derived;
	}

	// What the factory was made with. Its getters know nothing of a master with replicas,
	// nor of a single server that was given as a RedisConfiguration in general.
	private static RedisConfiguration redisConfiguration(LettuceConnectionFactory base) {
		try {
			if (new DirectFieldAccessor(base)
				.getPropertyValue("configuration") instanceof RedisConfiguration configuration) {
				return configuration;
			}
		}
		catch (NotReadablePropertyException ex) {
			// Another version of Spring Data keeps it elsewhere
		}
		if (base.getClusterConfiguration() != null) {
			return base.getClusterConfiguration();
		}
		if (base.getSentinelConfiguration() != null) {
			return base.getSentinelConfiguration();
		}
		return (base.getSocketConfiguration() != null) ? base.getSocketConfiguration()
				: base.getStandaloneConfiguration();
	}

	/**
	 * How long a command of ours may take that does not block.
	 */
	Duration commandTimeout() {
		return this.commandTimeout;
	}

	/**
	 * Whether connections are to the nodes of a cluster rather than to one server. Needs
	 * no connection to tell.
	 */
	boolean isCluster() {
		return this.cluster;
	}

	/**
	 * The connection that everything but the blocking reads shares. Established at the
	 * first call, and again when it was lost; callers in between wait for one attempt.
	 */
	CommandChannel shared() {
		CompletableFuture<CommandChannel> current = this.sharedChannel.get();
		if (current != null && isLost(current)) {
			if (this.sharedChannel.compareAndSet(current, null)) {
				current.join().close();
			}
			current = this.sharedChannel.get();
		}
		if (current == null) {
			CompletableFuture<CommandChannel> attempt = new CompletableFuture<>();
			current = this.sharedChannel.compareAndExchange(null, attempt);
			if (current == null) {
				current = attempt;
				connectShared(attempt);
			}
		}
		try {
			return current.get(LONGEST_CONNECT.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (TimeoutException ex) {
			throw new RedisConnectionFailureException("No connection within " + LONGEST_CONNECT.toSeconds() + " s", ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new RedisSystemException("Interrupted while waiting for a connection", ex);
		}
		catch (ExecutionException ex) {
			throw (ex.getCause() instanceof DataAccessException failure) ? failure
					: new RedisSystemException(String.valueOf(ex.getMessage()), ex);
		}
	}

	private static boolean isLost(CompletableFuture<CommandChannel> channel) {
		return channel.isDone() && !channel.isCompletedExceptionally() && !channel.join().isSound();
	}

	private void connectShared(CompletableFuture<CommandChannel> attempt) {
		try {
			attempt.complete(new CommandChannel(started(this.shared).getConnection(), this.commandTimeout));
		}
		// Errors too: others wait for this attempt
		catch (Throwable ex) {
			this.sharedChannel.set(null);
			attempt.completeExceptionally(ex);
		}
	}

	// Who finds a factory being started by another thread would not wait for it
	private synchronized LettuceConnectionFactory started(SingletonSupplier<LettuceConnectionFactory> supplier) {
		LettuceConnectionFactory factory = supplier.obtain();
		factory.start();
		return factory;
	}

	/**
	 * A new connection for one reader, which must close it.
	 */
	CommandChannel openDedicated() {
		LettuceConnectionFactory factory = started(this.dedicated);
		refreshTopology(factory);
		return new CommandChannel(factory.getConnection(), this.commandTimeout);
	}

	// A connection that does not reconnect would never learn of a failover by itself
	private void refreshTopology(LettuceConnectionFactory factory) {
		if (factory.getRequiredNativeClient() instanceof RedisClusterClient cluster) {
			synchronized (this) {
				if (System.nanoTime() - this.lastTopologyRefresh < TOPOLOGY_REFRESH_INTERVAL.toNanos()) {
					return;
				}
				this.lastTopologyRefresh = System.nanoTime();
			}
			cluster.refreshPartitions();
		}
	}

	@Override
	public void close() {
		CompletableFuture<CommandChannel> channel = this.sharedChannel.getAndSet(null);
		if (channel != null && channel.isDone() && !channel.isCompletedExceptionally()) {
			channel.join().close();
		}
		this.shared.obtain().destroy();
		this.dedicated.obtain().destroy();
		this.resources.close();
	}

	/**
	 * Changes client options, keeping what the application has set otherwise.
	 */
	private interface ClientOptionsChange {

		void apply(ClientOptions.Builder options);

	}

	/**
	 * The application's client configuration with our changes.
	 */
	private static final class DerivedClientConfiguration implements LettuceClientConfiguration {

		private final LettuceConnectionFactory factory;

		private final LettuceClientConfiguration base;

		private final UntracedResources resources;

		private final Duration commandTimeout;

		private final ClientOptionsChange change;

		DerivedClientConfiguration(LettuceConnectionFactory factory, UntracedResources resources,
				Duration commandTimeout, ClientOptionsChange change) {
			this.factory = factory;
			this.base = factory.getClientConfiguration();
			this.resources = resources;
			this.commandTimeout = commandTimeout;
			this.change = change;
		}

		@Override
		public Optional<ClientOptions> getClientOptions() {
			ClientOptions.Builder options;
			if (this.factory.isClusterAware()) {
				options = this.base.getClientOptions()
					.map((present) -> (present instanceof ClusterClientOptions cluster) ? cluster
							: ClusterClientOptions.builder(present).build())
					.orElseGet(ClusterClientOptions::create)
					.mutate();
			}
			else {
				options = this.base.getClientOptions().orElseGet(ClientOptions::create).mutate();
			}
			this.change.apply(options);
			return Optional.of(options.build());
		}

		@Override
		public Optional<ClientResources> getClientResources() {
			return Optional.of(this.resources.of(this.factory.getRequiredNativeClient().getResources()));
		}

		@Override
		public Optional<ReadFrom> getReadFrom() {
			return Optional.empty();
		}

		@Override
		public Duration getCommandTimeout() {
			return this.commandTimeout;
		}

		@Override
		public boolean isUseSsl() {
			return this.base.isUseSsl();
		}

		@Override
		@Deprecated
		@SuppressWarnings("deprecation")
		public boolean isVerifyPeer() {
			return this.base.isVerifyPeer();
		}

		@Override
		public SslVerifyMode getVerifyMode() {
			return this.base.getVerifyMode();
		}

		@Override
		public boolean isStartTls() {
			return this.base.isStartTls();
		}

		@Override
		public Optional<String> getClientName() {
			return this.base.getClientName();
		}

		@Override
		public Optional<RedisCredentialsProviderFactory> getRedisCredentialsProviderFactory() {
			return this.base.getRedisCredentialsProviderFactory().or(() -> Optional.of(new ImmediateCredentials()));
		}

		@Override
		public Duration getShutdownTimeout() {
			return this.base.getShutdownTimeout();
		}

		@Override
		public Duration getShutdownQuietPeriod() {
			return this.base.getShutdownQuietPeriod();
		}

	}

}
