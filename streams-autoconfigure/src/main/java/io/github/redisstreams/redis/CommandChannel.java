package io.github.redisstreams.redis;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

import io.lettuce.core.AbstractRedisAsyncCommands;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.ProtocolKeyword;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataAccessException;
import org.springframework.dao.InvalidDataAccessResourceUsageException;
import org.springframework.dao.PermissionDeniedDataAccessException;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.dao.TransientDataAccessResourceException;
import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.RedisSystemException;
import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisConnection;

/**
 * Sends commands over one connection and turns failures into Spring's exceptions, with
 * the server's own words, the command and the stream in the message.
 */
final class CommandChannel {

	private static final Log logger = LogFactory.getLog(CommandChannel.class);

	private static final Duration SHORTEST_MARGIN = Duration.ofSeconds(2);

	private final RedisConnection connection;

	private final AbstractRedisAsyncCommands<byte[], byte[]> commands;

	private final Duration timeout;

	/** The channel to all of the cluster that this one to a single node belongs to. */
	private final @Nullable CommandChannel cluster;

	private volatile boolean unsound;

	/**
	 * Create a channel over a Lettuce connection, establishing it if it is not yet.
	 * @param connection the connection, closed with the channel or if it cannot be
	 * established
	 * @param timeout how long a command may take that does not block
	 */
	@SuppressWarnings("unchecked")
	CommandChannel(RedisConnection connection, Duration timeout) {
		this.connection = connection;
		this.timeout = timeout;
		this.cluster = null;
		try {
			this.commands = (AbstractRedisAsyncCommands<byte[], byte[]>) connection.getNativeConnection();
		}
		catch (RuntimeException ex) {
			connection.close();
			throw ex;
		}
	}

	@SuppressWarnings("unchecked")
	private CommandChannel(CommandChannel cluster, RedisAsyncCommands<byte[], byte[]> node) {
		this.connection = cluster.connection;
		this.timeout = cluster.timeout;
		this.cluster = cluster;
		this.commands = (AbstractRedisAsyncCommands<byte[], byte[]>) node;
	}

	/**
	 * Whether the connection can be trusted: it still stands, as far as the client knows,
	 * no reply is overdue, as it is for ever where something on the way has forgotten the
	 * connection, and the server at its other end is a master: after a failover another
	 * one may be at the same address. One to a cluster can unless it was used by
	 * {@link #toNodeOf} and that went wrong: otherwise Lettuce mends its connections to
	 * the single nodes, and follows the slots.
	 */
	boolean isSound() {
		return !this.unsound && (isToAllNodes() || this.commands.getConnection().isOpen());
	}

	private boolean isToAllNodes() {
		return isCluster() && this.cluster == null;
	}

	private void distrust() {
		if (this.cluster != null) {
			this.cluster.unsound = true;
		}
		else if (!isCluster()) {
			this.unsound = true;
		}
	}

	/**
	 * Whether the connection is to the nodes of a cluster rather than to one server.
	 */
	boolean isCluster() {
		return this.connection instanceof RedisClusterConnection;
	}

	/**
	 * On a cluster a channel to the node that has a key, over one connection and only
	 * that. Closed with this channel.
	 */
	CommandChannel toNodeOf(String key) {
		if (!(this.commands.getConnection() instanceof StatefulRedisClusterConnection<byte[], byte[]> cluster)) {
			return this;
		}
		RedisClusterNode node = cluster.getPartitions().getPartitionBySlot(SlotHash.getSlot(key));
		if (node == null) {
			throw new RedisConnectionFailureException("No node of the cluster is known to have '" + key + "'");
		}
		return new CommandChannel(this, cluster.getConnection(node.getNodeId()).async());
	}

	void close() {
		try {
			this.connection.close();
		}
		catch (DataAccessException ex) {
			logger.debug("Closing a connection to Redis failed", ex);
		}
	}

	<T> T call(ProtocolKeyword command, String stream, CommandOutput<byte[], byte[], T> output,
			CommandArgs<byte[], byte[]> args) {
		return call(command, stream, output, args, Duration.ZERO, (reply) -> {
		});
	}

	/**
	 * Send a command and wait for its reply, for as long as the command may block and the
	 * command timeout on top of that. The server may let a command block a little longer
	 * than it was asked to, so a short command timeout is stretched for it.
	 * @param taker is given the reply before this thread wakes, as a rule on that of the
	 * connection
	 */
	<T> T call(ProtocolKeyword command, String stream, CommandOutput<byte[], byte[], T> output,
			CommandArgs<byte[], byte[]> args, Duration block, Consumer<T> taker) {
		Duration patience = block.isZero() ? this.timeout : block.plus(longer(this.timeout, SHORTEST_MARGIN));
		RedisFuture<T> reply = dispatch(command, stream, output, args);
		try {
			return reply.toCompletableFuture().thenApply((value) -> {
				taker.accept(value);
				return value;
			}).get(patience.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (ExecutionException ex) {
			throw translate(ex, command, stream);
		}
		catch (TimeoutException ex) {
			distrust();
			reply.cancel(true);
			throw new QueryTimeoutException(
					"No reply to " + command + " on '" + stream + "' within " + patience.toMillis() + " ms", ex);
		}
		catch (InterruptedException ex) {
			reply.cancel(true);
			Thread.currentThread().interrupt();
			throw new RedisSystemException("Interrupted while waiting for " + command + " on '" + stream + "'", ex);
		}
	}

	private static Duration longer(Duration first, Duration second) {
		return (first.compareTo(second) < 0) ? second : first;
	}

	/**
	 * Send a command without waiting for its reply.
	 */
	<T> CompletionStage<T> send(ProtocolKeyword command, String stream, CommandOutput<byte[], byte[], T> output,
			CommandArgs<byte[], byte[]> args) {
		CompletableFuture<T> result = new CompletableFuture<>();
		relay(dispatch(command, stream, output, args), result, command, stream);
		return result;
	}

	/**
	 * Send commands together, without waiting for their replies, of which those that take
	 * longer than they may have failed.
	 * @param patience how long they may take, where that is not for the connection to say
	 */
	void send(Collection<PipelinedCommand<?>> pipeline, @Nullable Duration patience) {
		pipeline.forEach(this::relay);
		if (patience != null) {
			failOverdue(List.copyOf(pipeline), patience);
		}
		try {
			this.commands.getConnection().dispatch(pipeline.stream().map(PipelinedCommand::command).toList());
		}
		// Whatever it is: some may be on their way
		catch (RuntimeException ex) {
			pipeline.forEach((command) -> command.reply()
				.completeExceptionally(translate(ex, command.type(), command.stream())));
		}
	}

	// The timer lets go of what has been replied to
	private void failOverdue(List<PipelinedCommand<?>> sent, Duration patience) {
		CompletableFuture.allOf(sent.stream().map(PipelinedCommand::reply).toArray(CompletableFuture[]::new))
			.orTimeout(patience.toMillis(), TimeUnit.MILLISECONDS)
			.whenCompleteAsync((replied, failure) -> {
				if (failure instanceof TimeoutException) {
					sent.forEach((command) -> failIfOverdue(command, patience));
				}
			});
	}

	private void failIfOverdue(PipelinedCommand<?> command, Duration patience) {
		if (command.reply()
			.completeExceptionally(new QueryTimeoutException("No reply to " + command.type() + " on '"
					+ command.stream() + "' within " + patience.toMillis() + " ms"))) {
			distrust();
		}
	}

	private <T> void relay(PipelinedCommand<T> command) {
		relay(command.command(), command.reply(), command.type(), command.stream());
	}

	private <T> void relay(CompletionStage<T> from, CompletableFuture<T> to, ProtocolKeyword command, String stream) {
		from.whenComplete((reply, failure) -> {
			if (failure != null) {
				to.completeExceptionally(translate(failure, command, stream));
			}
			else {
				to.complete(reply);
			}
		});
	}

	private <T> RedisFuture<T> dispatch(ProtocolKeyword command, String stream, CommandOutput<byte[], byte[], T> output,
			CommandArgs<byte[], byte[]> args) {
		try {
			return this.commands.dispatch(command, output, args);
		}
		catch (RedisException ex) {
			throw translate(ex, command, stream);
		}
	}

	// Within a script of Redis 6.2 the error does not begin with that word
	private static boolean isReplica(Throwable failure) {
		return String.valueOf(failure.getMessage()).contains("READONLY ");
	}

	// Lettuce follows a slot to its new node only over the channel to all of them
	private boolean isMoved(Throwable failure) {
		return this.cluster != null && String.valueOf(failure.getMessage()).startsWith("MOVED ");
	}

	private DataAccessException translate(Throwable failure, ProtocolKeyword command, String stream) {
		Throwable cause = failure;
		if ((failure instanceof CompletionException || failure instanceof ExecutionException)
				&& failure.getCause() != null) {
			cause = failure.getCause();
		}
		// A server that refuses the log-in is one that cannot be connected to
		RedisFault fault = (cause instanceof RedisConnectionException) ? RedisFault.DISCONNECTED : RedisFault.of(cause);
		if (fault == RedisFault.DISCONNECTED || fault == RedisFault.TIMEOUT || isReplica(cause) || isMoved(cause)) {
			// Lettuce may call it open for a moment longer
			distrust();
		}
		String where = " (" + command + " on '" + stream + "')";
		String message = RedisFault.explain(cause) + where;
		return switch (fault) {
			case UNAVAILABLE -> new TransientDataAccessResourceException(message, cause);
			case WRONG_TYPE -> new InvalidDataAccessResourceUsageException(message, cause);
			case NO_PERMISSION -> new PermissionDeniedDataAccessException(message, cause);
			case DISCONNECTED -> new RedisConnectionFailureException("Connection lost" + where, cause);
			case TIMEOUT -> new QueryTimeoutException(message, cause);
			case GROUP_MISSING, OTHER -> new RedisSystemException(message, cause);
		};
	}

}
