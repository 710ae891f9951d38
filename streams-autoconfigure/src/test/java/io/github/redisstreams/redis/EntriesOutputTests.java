package io.github.redisstreams.redis;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;

import io.github.redisstreams.test.RealRedis;
import io.github.redisstreams.test.RedisServer;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.ProtocolVersion;
import io.lettuce.core.protocol.RedisStateMachine;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

class EntriesOutputTests {

	/**
	 * Replies of a real server, in both protocols.
	 */
	@Nested
	@Tag("core")
	@RealRedis
	@ParameterizedClass
	@EnumSource(ProtocolVersion.class)
	class RealReplies {

		private final ProtocolVersion protocol;

		private RedisServer server;

		private RedisClient client;

		private StatefulRedisConnection<byte[], byte[]> connection;

		RealReplies(ProtocolVersion protocol) {
			this.protocol = protocol;
		}

		@BeforeEach
		void connect(RedisServer server) {
			this.server = server;
			this.client = RedisClient.create(RedisURI.create("127.0.0.1", server.port()));
			this.client.setOptions(ClientOptions.builder().protocolVersion(this.protocol).build());
			this.connection = this.client.connect(ByteArrayCodec.INSTANCE);
			server.command("XGROUP", "CREATE", "s", "g", "0", "MKSTREAM");
		}

		@AfterEach
		void disconnect() {
			this.client.shutdown(0, 1, TimeUnit.SECONDS);
		}

		@Test
		void readsNewEntries() throws Exception {
			String first = this.server.add("s", "a", "1", "b", "2");
			String second = this.server.add("s", "c", "3");
			EntryBatch batch = read(">");
			assertThat(ids(batch.entries())).containsExactly(first, second);
			assertThat(fields(batch.entries().get(0))).containsExactly("a", "1", "b", "2");
			assertThat(fields(batch.entries().get(1))).containsExactly("c", "3");
			assertThat(batch.deleted()).isEmpty();
			assertThat(batch.cursor()).isEqualTo(EntryId.ZERO);
			assertThat(batch.entries()).extracting(StreamEntry::deliveryCount).containsOnly(1L);
		}

		@Test
		void readsNothingWhereThereIsNothing() throws Exception {
			assertEmpty(read(">"));
			assertEmpty(read("0"));
			assertEmpty(claim("0-0", 100));
		}

		@Test
		void keepsRepeatedNamesAndEmptyNamesAndValues() throws Exception {
			this.server.add("s", "a", "1", "a", "2", "", "", "a", "");
			assertThat(fields(read(">").entries().get(0))).containsExactly("a", "1", "a", "2", "", "", "a", "");
			assertThat(fields(read("0").entries().get(0))).containsExactly("a", "1", "a", "2", "", "", "a", "");
		}

		@Test
		void keepsBytesAsTheyAre() throws Exception {
			byte[] name = { 0, (byte) 0xff, '\r', '\n' };
			byte[] value = new byte[256];
			for (int i = 0; i < value.length; i++) {
				value[i] = (byte) i;
			}
			this.server.command(bytes("XADD"), bytes("s"), bytes("*"), name, value);
			List<byte[]> fields = new ArrayList<>();
			read(">").entries().get(0).forEachField((n, v) -> fields.addAll(List.of(n, v)));
			assertThat(fields).containsExactly(name, value);
		}

		@Test
		void readsBigEntriesAmongSmallOnes() throws Exception {
			byte[] big = new byte[3_000_000];
			new Random(1).nextBytes(big);
			this.server.add("s", "n", "before");
			this.server.command(bytes("XADD"), bytes("s"), bytes("*"), bytes("big"), big);
			this.server.add("s", "n", "after");
			EntryBatch batch = read(">");
			assertThat(batch.entries()).hasSize(3);
			assertThat(batch.entries().get(1).value("big")).isEqualTo(big);
			assertThat(fields(batch.entries().get(2))).containsExactly("n", "after");
		}

		@Test
		void readsEntriesOfManyFieldsAndManyEntries() throws Exception {
			String[] fields = new String[1000];
			Arrays.setAll(fields, (i) -> "f" + i);
			List<String> ids = this.server.addPipelined("s", 500, (n) -> fields);
			EntryBatch batch = read(">");
			assertThat(ids(batch.entries())).isEqualTo(ids);
			assertThat(batch.entries()).allSatisfy((entry) -> assertThat(fields(entry)).containsExactly(fields));
		}

		@Test
		void tellsDeletedEntriesInOwnHistory() throws Exception {
			List<String> ids = this.server.addPipelined("s", 5);
			read(">");
			this.server.command("XDEL", "s", ids.get(0), ids.get(2), ids.get(4));
			EntryBatch batch = read("0");
			assertThat(ids(batch.entries())).containsExactly(ids.get(1), ids.get(3));
			assertThat(batch.deleted()).extracting(EntryId::toString)
				.containsExactly(ids.get(0), ids.get(2), ids.get(4));
		}

		@Test
		void tellsDeletedEntriesOfAClaim() throws Exception {
			assumeFalse(this.server.isOlderThanRedis7(), "Redis 6.2 does not tell a claim what was deleted");
			List<String> ids = this.server.addPipelined("s", 5);
			this.server.deliver("s", "g", "dead", 5);
			this.server.command("XDEL", "s", ids.get(0), ids.get(2), ids.get(4));
			EntryBatch batch = claim("0-0", 100);
			assertThat(ids(batch.entries())).containsExactly(ids.get(1), ids.get(3));
			assertThat(batch.deleted()).extracting(EntryId::toString)
				.containsExactly(ids.get(0), ids.get(2), ids.get(4));
			assertThat(batch.cursor()).isEqualTo(EntryId.ZERO);
		}

		@Test
		void tellsDeletedEntriesOfAClaimThatGotNothingElse() throws Exception {
			assumeFalse(this.server.isOlderThanRedis7(), "Redis 6.2 does not tell a claim what was deleted");
			List<String> ids = this.server.addPipelined("s", 2);
			this.server.deliver("s", "g", "dead", 2);
			this.server.command("XTRIM", "s", "MAXLEN", "0");
			EntryBatch batch = claim("0-0", 100);
			assertThat(batch.entries()).isEmpty();
			assertThat(batch.deleted()).extracting(EntryId::toString).isEqualTo(ids);
		}

		@Test
		void tellsWhereTheNextClaimGoesOn() throws Exception {
			List<String> ids = this.server.addPipelined("s", 5);
			this.server.deliver("s", "g", "dead", 5);
			EntryBatch batch = claim("0-0", 2);
			assertThat(ids(batch.entries())).isEqualTo(ids.subList(0, 2));
			assertThat(batch.cursor()).hasToString(ids.get(2));
			assertThat(ids(claim(batch.cursor().toString(), 100).entries())).isEqualTo(ids.subList(2, 5));
		}

		@Test
		void readsIdsOfTheWholeRange() throws Exception {
			String largest = "18446744073709551615-18446744073709551614";
			this.server.command("XADD", "s", "0-1", "n", "1");
			this.server.command("XADD", "s", largest, "n", "2");
			assertThat(ids(read(">").entries())).containsExactly("0-1", largest);
		}

		@Test
		void passesTheErrorOfTheServer() {
			CommandArgs<byte[], byte[]> args = args("GROUP", "nog", "me", "STREAMS").addKey(bytes("s")).add(">");
			assertThatThrownBy(() -> dispatch(CommandType.XREADGROUP, EntriesOutput.forRead(), args))
				.hasMessageContaining("NOGROUP");
		}

		@Test
		void passesOverIdleTimesAndCountsThatAReadWithClaimAdds() throws Exception {
			assumeTrue(this.server.documents("XREADGROUP", "CLAIM"), "XREADGROUP CLAIM is not there");
			List<String> ids = this.server.addPipelined("s", 3);
			this.server.deliver("s", "g", "dead", 2);
			EntryBatch batch = dispatch(CommandType.XREADGROUP, EntriesOutput.forRead(),
					args("GROUP", "g", "me", "CLAIM", "0", "STREAMS").addKey(bytes("s")).add(">"));
			assertThat(ids(batch.entries())).isEqualTo(ids);
			assertThat(batch.entries()).allSatisfy((entry) -> assertThat(fields(entry)).hasSize(2));
		}

		private EntryBatch read(String id) throws Exception {
			return dispatch(CommandType.XREADGROUP, EntriesOutput.forRead(),
					args("GROUP", "g", "me", "STREAMS").addKey(bytes("s")).add(id));
		}

		private EntryBatch claim(String cursor, int count) throws Exception {
			return dispatch(CommandType.XAUTOCLAIM, EntriesOutput.forClaim(),
					args().addKey(bytes("s")).add("g").add("me").add(0).add(cursor).add("COUNT").add(count));
		}

		private EntryBatch dispatch(CommandType command, EntriesOutput output, CommandArgs<byte[], byte[]> args)
				throws Exception {
			return this.connection.async().dispatch(command, output, args).get(10, TimeUnit.SECONDS);
		}

	}

	/**
	 * Replies byte by byte, as a network may split them and as servers may write them
	 * that are not at hand.
	 */
	@Nested
	class LiteralReplies {

		private static final String FIELDS = "*2\r\n$1\r\na\r\n$1\r\n1\r\n";

		@Test
		void readsAReplyInPieces() {
			String reply = "*1\r\n*2\r\n$1\r\ns\r\n*2\r\n*2\r\n$3\r\n1-0\r\n" + FIELDS + "*2\r\n$3\r\n2-0\r\n*-1\r\n";
			for (int piece = 1; piece <= reply.length(); piece++) {
				EntryBatch batch = decode(EntriesOutput.forRead(), reply, piece);
				assertThat(ids(batch.entries())).containsExactly("1-0");
				assertThat(fields(batch.entries().get(0))).containsExactly("a", "1");
				assertThat(batch.deleted()).containsExactly(EntryId.parse("2-0"));
			}
		}

		@Test
		void readsAMapInPieces() {
			String reply = "%1\r\n$1\r\ns\r\n*2\r\n*2\r\n$3\r\n1-0\r\n" + FIELDS + "*2\r\n$3\r\n2-0\r\n_\r\n";
			for (int piece = 1; piece <= reply.length(); piece++) {
				EntryBatch batch = decode(EntriesOutput.forRead(), reply, piece);
				assertThat(ids(batch.entries())).containsExactly("1-0");
				assertThat(batch.deleted()).containsExactly(EntryId.parse("2-0"));
			}
		}

		@Test
		void passesOverDeletedEntriesThatRedis62ClaimsAsNil() {
			EntryBatch batch = decode(EntriesOutput.forClaim(),
					"*2\r\n$3\r\n7-0\r\n*3\r\n*-1\r\n*2\r\n$3\r\n2-0\r\n" + FIELDS + "$-1\r\n", 1000);
			assertThat(batch.cursor()).hasToString("7-0");
			assertThat(ids(batch.entries())).containsExactly("2-0");
			assertThat(batch.deleted()).isEmpty();
		}

		@Test
		void passesOverNilsAloneThatRedis62Claims() {
			EntryBatch batch = decode(EntriesOutput.forClaim(), "*2\r\n$3\r\n0-0\r\n*2\r\n*-1\r\n*-1\r\n", 1000);
			assertEmpty(batch);
		}

		@Test
		void readsNoReplyAsNothing() {
			assertEmpty(decode(EntriesOutput.forRead(), "*-1\r\n", 1000));
			assertEmpty(decode(EntriesOutput.forRead(), "_\r\n", 1000));
			assertEmpty(decode(EntriesOutput.forRead(), "*1\r\n*2\r\n$1\r\ns\r\n*0\r\n", 1000));
		}

		private static EntryBatch decode(EntriesOutput output, String reply, int piece) {
			RedisStateMachine decoder = new RedisStateMachine();
			ByteBuf buffer = Unpooled.buffer();
			byte[] bytes = bytes(reply);
			boolean complete = false;
			for (int from = 0; from < bytes.length; from += piece) {
				assertThat(complete).isFalse();
				buffer.writeBytes(bytes, from, Math.min(piece, bytes.length - from));
				complete = decoder.decode(buffer, output);
			}
			assertThat(complete).isTrue();
			return output.get();
		}

	}

	private static void assertEmpty(EntryBatch batch) {
		assertThat(batch.entries()).isEmpty();
		assertThat(batch.deleted()).isEmpty();
		assertThat(batch.cursor()).isEqualTo(EntryId.ZERO);
	}

	private static CommandArgs<byte[], byte[]> args(String... words) {
		CommandArgs<byte[], byte[]> args = new CommandArgs<>(ByteArrayCodec.INSTANCE);
		for (String word : words) {
			args.add(word);
		}
		return args;
	}

	private static List<String> ids(List<StreamEntry> entries) {
		return entries.stream().map((entry) -> entry.id().toString()).toList();
	}

	private static List<String> fields(StreamEntry entry) {
		List<String> fields = new ArrayList<>();
		entry.forEachField((name, value) -> {
			fields.add(new String(name, StandardCharsets.UTF_8));
			fields.add(new String(value, StandardCharsets.UTF_8));
		});
		return fields;
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

}
