package io.github.redisstreams.redis;

import java.nio.charset.StandardCharsets;
import java.util.List;

import io.github.redisstreams.benchmarks.contestant.Order;
import io.lettuce.core.StreamMessage;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.output.StreamReadOutput;
import io.lettuce.core.protocol.RedisStateMachine;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/**
 * Decoding the reply of a read of 100 entries, each of two fields, as Lettuce does when
 * it comes in: with our output and with Lettuce's own. In this package since ours is
 * nobody else's business.
 */
@State(Scope.Thread)
public class DecodingBenchmark {

	private static final int ENTRIES = 100;

	private final RedisStateMachine decoder = new RedisStateMachine();

	private final ByteBuf reply = PooledByteBufAllocator.DEFAULT.directBuffer();

	/**
	 * Write the reply as the server does to a connection with RESP3.
	 */
	public DecodingBenchmark() {
		StringBuilder text = new StringBuilder("%1\r\n").append(bulk("work")).append("*" + ENTRIES + "\r\n");
		for (int i = 0; i < ENTRIES; i++) {
			text.append("*2\r\n").append(bulk("1767225600000-" + i)).append("*4\r\n");
			text.append(bulk("sent")).append(bulk("1767225600000000"));
			text.append(bulk("payload")).append(bulk(Order.JSON));
		}
		this.reply.writeCharSequence(text, StandardCharsets.US_ASCII);
	}

	private static String bulk(String text) {
		return "$" + text.length() + "\r\n" + text + "\r\n";
	}

	/**
	 * Our output, which keeps bytes.
	 * @return the entries
	 */
	@Benchmark
	@OperationsPerInvocation(ENTRIES)
	public EntryBatch decodeOurs() {
		return decode(EntriesOutput.forRead());
	}

	/**
	 * Lettuce's output of bytes, which Spring Data Redis uses.
	 * @return the entries
	 */
	@Benchmark
	@OperationsPerInvocation(ENTRIES)
	public List<StreamMessage<byte[], byte[]>> decodeLettuceBytes() {
		return decode(new StreamReadOutput<>(ByteArrayCodec.INSTANCE));
	}

	/**
	 * Lettuce's output of text.
	 * @return the entries
	 */
	@Benchmark
	@OperationsPerInvocation(ENTRIES)
	public List<StreamMessage<String, String>> decodeLettuceText() {
		return decode(new StreamReadOutput<>(StringCodec.UTF8));
	}

	private <T> T decode(CommandOutput<?, ?, T> output) {
		this.reply.readerIndex(0);
		if (!this.decoder.decode(this.reply, output)) {
			throw new IllegalStateException("The reply is not complete");
		}
		return output.get();
	}

}
