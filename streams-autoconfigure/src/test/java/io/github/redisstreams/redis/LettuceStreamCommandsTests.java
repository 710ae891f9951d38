package io.github.redisstreams.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

import io.github.redisstreams.StreamsConfigurationException;
import io.github.redisstreams.redis.ServerInfo.Capability;
import io.github.redisstreams.test.LettuceFactories;
import io.github.redisstreams.test.RawRedis;
import io.github.redisstreams.test.RealRedis;
import io.github.redisstreams.test.RedisServer;
import io.github.redisstreams.test.TcpProxy;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.ReadFrom;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.protocol.ProtocolVersion;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration.LettuceClientConfigurationBuilder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;
import static org.awaitility.Awaitility.await;

@Tag("core")
class LettuceStreamCommandsTests {

	private final LettuceFactories factories = new LettuceFactories();

	private final List<LettuceStreamCommands> opened = new ArrayList<>();

	@AfterEach
	void closeAll() {
		this.opened.forEach(LettuceStreamCommands::close);
		this.factories.close();
	}

	private LettuceStreamCommands commands(RedisServer server) {
		return commands(this.factories.to(server.port()));
	}

	private LettuceStreamCommands commands(RedisServer server,
			Consumer<RedisStandaloneConfiguration> serverConfiguration,
			Consumer<LettuceClientConfigurationBuilder> client) {
		return commands(this.factories.to(server.port(), serverConfiguration, client));
	}

	private LettuceStreamCommands commands(LettuceConnectionFactory factory) {
		LettuceStreamCommands commands = new LettuceStreamCommands(factory);
		this.opened.add(commands);
		return commands;
	}

	private static <T> T await5(CompletionStage<T> stage) throws Exception {
		return stage.toCompletableFuture().get(5, TimeUnit.SECONDS);
	}

	// Not failsWithin, which a stage passes, too, that never completes
	private static Throwable failure(CompletionStage<?> stage) {
		try {
			Object result = stage.toCompletableFuture().get(5, TimeUnit.SECONDS);
			throw new AssertionError("Did not fail but gave " + result);
		}
		catch (ExecutionException ex) {
			return Objects.requireNonNull(ex.getCause());
		}
		catch (InterruptedException | TimeoutException ex) {
			throw new AssertionError(ex);
		}
	}

	private static List<byte[]> fields(String... namesAndValues) {
		return List.of(namesAndValues).stream().map((word) -> word.getBytes(StandardCharsets.UTF_8)).toList();
	}

	@Nested
	@RealRedis
	class Commands {

		private RedisServer server;

		private LettuceStreamCommands commands;

		@BeforeEach
		void open(RedisServer server) {
			this.server = server;
			this.commands = commands(server);
		}

		@Test
		void createsGroupAndStream() {
			assertThat(this.commands.createGroup("s", "g", "0")).isTrue();
			assertThat(this.server.integer("XLEN", "s")).isZero();
			assertThat(this.commands.groups("s")).extracting(GroupInfo::name).containsExactly("g");
		}

		@Test
		void leavesAGroupThatIsThereAsItIs() {
			this.server.add("s", "n", "1");
			this.server.command("XGROUP", "CREATE", "s", "g", "0");
			List<String> delivered = this.server.deliver("s", "g", "c", 1);
			assertThat(this.commands.createGroup("s", "g", "0")).isFalse();
			assertThat(this.commands.groups("s")).singleElement().satisfies((group) -> {
				assertThat(group.lastDeliveredId()).hasToString(delivered.get(0));
				assertThat(group.pending()).isEqualTo(1);
			});
		}

		@Test
		void createsGroupAtTheEndOrAfterAnId() {
			List<String> ids = this.server.addPipelined("s", 3);
			assertThat(this.commands.createGroup("s", "end", "$")).isTrue();
			assertThat(this.commands.createGroup("s", "middle", ids.get(1))).isTrue();
			assertThat(this.server.deliver("s", "end", "c", 10)).isEmpty();
			assertThat(this.server.deliver("s", "middle", "c", 10)).containsExactly(ids.get(2));
		}

		@Test
		void refusesAKeyThatIsNoStream() {
			this.server.command("SET", "s", "text");
			assertThatExceptionOfType(DataAccessException.class)
				.isThrownBy(() -> this.commands.createGroup("s", "g", "0"))
				.withMessageContaining("WRONGTYPE")
				.withMessageContaining("XGROUP on 's'")
				.satisfies((ex) -> assertThat(RedisFault.of(ex)).isEqualTo(RedisFault.WRONG_TYPE));
			assertThat(failure(this.commands.publishing().add(new NewEntry("s", fields("n", "1")))))
				.isInstanceOf(DataAccessException.class)
				.hasMessageContaining("WRONGTYPE")
				.hasMessageContaining("XADD on 's'");
		}

		@ParameterizedTest
		@EnumSource(ProtocolVersion.class)
		void tellsGroupsWithTheirLag(ProtocolVersion protocol) {
			LettuceStreamCommands commands = commands(this.server, (standalone) -> {
			}, (client) -> client.clientOptions(ClientOptions.builder().protocolVersion(protocol).build()));
			List<String> ids = this.server.addPipelined("s", 5);
			this.server.command("XGROUP", "CREATE", "s", "busy", "0");
			this.server.command("XGROUP", "CREATE", "s", "new", "0");
			this.server.deliver("s", "busy", "one", 2);
			this.server.deliver("s", "busy", "two", 1);
			boolean lag = !this.server.isOlderThanRedis7();
			assertThat(commands.groups("s")).containsExactly(
					new GroupInfo("busy", 2, 3, EntryId.parse(ids.get(2)), lag ? 2L : null),
					new GroupInfo("new", 0, 0, EntryId.ZERO, lag ? 5L : null));
		}

		@ParameterizedTest
		@EnumSource(ProtocolVersion.class)
		void tellsWhereTheServerDoesNotKnowTheLag(ProtocolVersion protocol) {
			LettuceStreamCommands commands = commands(this.server, (standalone) -> {
			}, (client) -> client.clientOptions(ClientOptions.builder().protocolVersion(protocol).build()));
			List<String> ids = this.server.addPipelined("s", 5);
			this.server.command("XGROUP", "CREATE", "s", "g", "0");
			this.server.deliver("s", "g", "c", 1);
			this.server.command("XDEL", "s", ids.get(3));
			assertThat(commands.groups("s")).singleElement().satisfies((group) -> {
				assertThat(group.lag()).isNull();
				assertThat(group.pending()).isEqualTo(1);
			});
		}

		@Test
		void tellsNoGroupsOfAStreamWithoutAnyAndFailsWithoutStream() {
			this.server.add("s", "n", "1");
			assertThat(this.commands.groups("s")).isEmpty();
			assertThatExceptionOfType(DataAccessException.class).isThrownBy(() -> this.commands.groups("none"))
				.withMessageContaining("no such key")
				.withMessageContaining("'none'");
		}

		@Test
		void tellsTheLengthOfAStream() {
			this.server.addPipelined("s", 3);
			assertThat(this.commands.length("s")).isEqualTo(3);
			assertThat(this.commands.length("none")).isZero();
		}

		@Test
		void acknowledgesManyAtOnceAndTellsHowManyWerePending() throws Exception {
			List<EntryId> ids = this.server.addPipelined("s", 300).stream().map(EntryId::parse).toList();
			this.server.command("XGROUP", "CREATE", "s", "g", "0");
			this.server.deliver("s", "g", "c", 200);
			assertThat(await5(this.commands.acknowledge("s", "g", ids))).isEqualTo(200);
			assertThat(this.server.pending("s", "g")).isZero();
		}

		@Test
		void acknowledgingWhatIsNotPendingIsNoError() throws Exception {
			EntryId id = EntryId.parse(this.server.add("s", "n", "1"));
			assertThat(await5(this.commands.acknowledge("s", "no-group", List.of(id)))).isZero();
			assertThat(await5(this.commands.acknowledge("none", "g", List.of(id)))).isZero();
			this.server.command("XGROUP", "CREATE", "s", "g", "0");
			assertThat(await5(this.commands.acknowledge("s", "g", List.of(id)))).isZero();
		}

		@Test
		void isNotTakenForAnUnknownServerByWhoWasInterruptedAsking() {
			// So that there is a connection, but no answer yet
			this.commands.length("s");
			this.server.command("CLIENT", "PAUSE", "200");
			Thread.currentThread().interrupt();
			try {
				assertThatExceptionOfType(DataAccessException.class).isThrownBy(() -> this.commands.serverInfo());
			}
			finally {
				assertThat(Thread.interrupted()).isTrue();
			}
			assertThat(this.commands.serverInfo().version()).isNotEqualTo("unknown");
		}

		@Test
		void addsEntriesAndTellsTheirIds() throws Exception {
			EntryId id = await5(
					this.commands.publishing().add(new NewEntry("s", fields("a", "1", "a", "", "größe", "2"))))
				.id();
			assertThat(this.server.list("XRANGE", "s", "-", "+"))
				.containsExactly(List.of(String.valueOf(id), List.of("a", "1", "a", "", "größe", "2")));
		}

		@Test
		void tellsWhatTheServerIsAndCanDo() {
			ServerInfo info = this.commands.serverInfo();
			String product = this.server.info("server_name").orElse("redis");
			assertThat(info.product()).isEqualTo(product);
			assertThat(info.version()).isEqualTo(this.server.info(product + "_version").orElseThrow());
			assertThat(info).hasToString(product + " " + info.version());
			Set<Capability> expected = EnumSet.noneOf(Capability.class);
			if (this.server.knows("XACKDEL")) {
				expected.add(Capability.ACK_AND_DELETE);
			}
			if (this.server.documents("XREADGROUP", "CLAIM")) {
				expected.add(Capability.READ_AND_CLAIM);
			}
			if (this.server.documents("XTRIM", "ACKED")) {
				expected.add(Capability.TRIM_ACKNOWLEDGED);
			}
			if (this.server.documents("XADD", "IDMP")) {
				expected.add(Capability.IDEMPOTENT_ADD);
			}
			if (this.server.knows("WAITAOF")) {
				expected.add(Capability.WAIT_FOR_FSYNC);
			}
			assertThat(info.capabilities()).isEqualTo(expected);
			for (Capability capability : Capability.values()) {
				assertThat(info.has(capability)).isEqualTo(expected.contains(capability));
			}
		}

		@Test
		void asksTheServerOnlyOnceWhatItIs() {
			ServerInfo first = this.commands.serverInfo();
			this.server.command("CONFIG", "RESETSTAT");
			assertThat(this.commands.serverInfo()).isSameAs(first);
			assertThat(this.server.info("cmdstat_command|docs")).isEmpty();
		}

		@ParameterizedTest
		@EnumSource(ProtocolVersion.class)
		void tellsWhatTheServerIsInEitherProtocol(ProtocolVersion protocol) {
			ServerInfo info = commands(this.server, (standalone) -> {
			}, (client) -> client.clientOptions(ClientOptions.builder().protocolVersion(protocol).build()))
				.serverInfo();
			assertThat(info).isEqualTo(this.commands.serverInfo());
		}

		@Test
		void sharesOneConnectionBetweenManyThreadsFromTheFirstCommandOn() throws Exception {
			int threads = 16;
			ExecutorService executor = Executors.newFixedThreadPool(threads);
			try {
				CyclicBarrier together = new CyclicBarrier(threads);
				List<Future<Boolean>> results = new ArrayList<>();
				for (int i = 0; i < threads; i++) {
					String group = "g" + i;
					results.add(executor.submit(() -> {
						together.await();
						return this.commands.createGroup("s", group, "0");
					}));
				}
				for (Future<Boolean> result : results) {
					assertThat(result.get(10, TimeUnit.SECONDS)).isTrue();
				}
				assertThat(this.server.clients()).hasSize(1);
			}
			finally {
				executor.shutdownNow();
			}
		}

		@Test
		void closesItsConnectionsAndLeavesTheApplicationsAlone() {
			LettuceConnectionFactory factory = LettuceStreamCommandsTests.this.factories.to(this.server.port());
			try (RedisConnection connection = factory.getConnection()) {
				connection.ping();
			}
			int before = this.server.clients().size();
			LettuceStreamCommands commands = commands(factory);
			commands.createGroup("s", "g", "0");
			StreamReader reader = commands.openReader(new StreamConsumer("s", "g", "c"));
			assertThat(this.server.clients()).hasSize(before + 2);
			reader.close();
			await().untilAsserted(() -> assertThat(this.server.clients()).hasSize(before + 1));
			commands.close();
			await().untilAsserted(() -> assertThat(this.server.clients()).hasSize(before));
			try (RedisConnection connection = factory.getConnection()) {
				assertThat(connection.ping()).isEqualTo("PONG");
			}
		}

		@Test
		void failsWithinTheStageAfterClose() {
			this.commands.createGroup("s", "g", "0");
			this.commands.close();
			assertThat(failure(this.commands.publishing().add(new NewEntry("s", fields("n", "1")))))
				.isInstanceOf(RuntimeException.class);
			assertThat(failure(this.commands.acknowledge("s", "g", List.of(EntryId.ZERO))))
				.isInstanceOf(RuntimeException.class);
		}

	}

	@Nested
	@RealRedis
	class Connections {

		private RedisServer server;

		@BeforeEach
		void open(RedisServer server) {
			this.server = server;
		}

		@AfterEach
		void deleteUsers() {
			this.server.command("ACL", "DELUSER", "app");
		}

		@Test
		void connectAsTheApplicationsUserToItsDatabase() {
			this.server.command("ACL", "SETUSER", "app", "on", ">secret", "~*", "+@all");
			LettuceStreamCommands commands = commands(this.server, (standalone) -> {
				standalone.setUsername("app");
				standalone.setPassword("secret");
				standalone.setDatabase(3);
			}, (client) -> client.clientName("billing-service"));
			commands.createGroup("s", "g", "0");
			try (StreamReader reader = commands.openReader(new StreamConsumer("s", "g", "c"))) {
				assertThat(reader.readNew(1, Duration.ZERO).entries()).isEmpty();
				assertThat(this.server.clients()).hasSize(2)
					.allSatisfy(
							(client) -> assertThat(client).contains(" db=3 ", " user=app", " name=billing-service "));
			}
			assertThat(this.server.integer("EXISTS", "s")).isZero();
			try (RawRedis database = this.server.connect()) {
				database.command("SELECT", "3");
				assertThat(database.command("EXISTS", "s")).isEqualTo(1L);
			}
		}

		@Test
		void areRefusedToAUserWithoutPermission() {
			this.server.command("ACL", "SETUSER", "app", "on", ">secret", "~*", "+@all", "-xgroup");
			LettuceStreamCommands commands = commands(this.server, (standalone) -> {
				standalone.setUsername("app");
				standalone.setPassword("secret");
			}, (client) -> {
			});
			assertThatThrownBy(() -> commands.createGroup("s", "g", "0")).isInstanceOf(DataAccessException.class)
				.satisfies((ex) -> assertThat(RedisFault.of(ex)).isEqualTo(RedisFault.NO_PERMISSION));
		}

		@Test
		void areRefusedWithAWrongPassword() {
			this.server.command("ACL", "SETUSER", "app", "on", ">secret", "~*", "+@all");
			LettuceStreamCommands commands = commands(this.server, (standalone) -> {
				standalone.setUsername("app");
				standalone.setPassword("wrong");
			}, (client) -> {
			});
			assertThatThrownBy(() -> commands.createGroup("s", "g", "0")).isInstanceOf(DataAccessException.class)
				.hasStackTraceContaining("WRONGPASS");
			assertThat(failure(commands.publishing().add(new NewEntry("s", fields("n", "1")))))
				.isInstanceOf(DataAccessException.class);
		}

		@Test
		void workForAUserWhoMayNotAskWhatTheServerIs() {
			this.server.command("ACL", "SETUSER", "app", "on", ">secret", "~*", "+@stream", "+@connection", "-client",
					"-command");
			LettuceStreamCommands commands = commands(this.server, (standalone) -> {
				standalone.setUsername("app");
				standalone.setPassword("secret");
			}, (client) -> {
			});
			assertThat(commands.serverInfo()).isEqualTo(new ServerInfo("redis", "unknown", Set.of()));
			commands.createGroup("s", "g", "0");
			String id = this.server.add("s", "n", "1");
			try (StreamReader reader = commands.openReader(new StreamConsumer("s", "g", "c"))) {
				reader.unblock();
				assertThat(reader.readNew(1, Duration.ofSeconds(1)).entries()).singleElement()
					.extracting((entry) -> entry.id().toString())
					.isEqualTo(id);
			}
		}

		@ParameterizedTest
		@EnumSource(ProtocolVersion.class)
		void keepTheApplicationsClientOptions(ProtocolVersion protocol) {
			LettuceStreamCommands commands = commands(this.server, (standalone) -> {
			}, (client) -> client.clientOptions(ClientOptions.builder()
				.protocolVersion(protocol)
				.autoReconnect(false)
				.timeoutOptions(TimeoutOptions.enabled(Duration.ofMillis(300)))
				.build()));
			commands.createGroup("s", "g", "0");
			String resp = (protocol == ProtocolVersion.RESP2) ? "resp=2" : "resp=3";
			try (StreamReader reader = commands.openReader(new StreamConsumer("s", "g", "c"))) {
				// Redis 6.2 does not show the protocol
				assertThat(this.server.clients()).hasSize(2)
					.allMatch((client) -> client.contains(resp) || this.server.isOlderThanRedis7());
				// The application's command timeout does not end a blocking read
				assertThat(reader.readNew(1, Duration.ofMillis(700)).entries()).isEmpty();
			}
			// And the shared connection comes back although the application's would not
			this.server.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
			await().ignoreExceptionsInstanceOf(DataAccessException.class)
				.untilAsserted(() -> assertThat(commands.createGroup("s", "g", "0")).isFalse());
		}

		@Test
		void areThereWithoutClientOptionsOfTheApplication() {
			LettuceConnectionFactory factory = new LettuceConnectionFactory("127.0.0.1", this.server.port());
			factory.afterPropertiesSet();
			try (LettuceStreamCommands commands = new LettuceStreamCommands(factory)) {
				assertThat(commands.createGroup("s", "g", "0")).isTrue();
				commands.openReader(new StreamConsumer("s", "g", "c")).close();
			}
			finally {
				factory.destroy();
			}
		}

	}

	@Nested
	@RealRedis(own = true, arguments = { "--requirepass", "secret" })
	class WithPassword {

		@Test
		void connectsWithThePasswordAlone(RedisServer server) {
			LettuceStreamCommands commands = commands(server, (standalone) -> standalone.setPassword("secret"),
					(client) -> {
					});
			assertThat(commands.createGroup("s", "g", "0")).isTrue();
			commands.openReader(new StreamConsumer("s", "g", "c")).close();
		}

		@Test
		void isRefusedWithoutPassword(RedisServer server) {
			LettuceStreamCommands commands = commands(server);
			// Where Lettuce sees the connection close first, it says so instead
			await().untilAsserted(() -> assertThatThrownBy(() -> commands.createGroup("s", "g", "0"))
				.isInstanceOf(DataAccessException.class)
				.hasStackTraceContaining("NOAUTH"));
		}

	}

	@Nested
	@RealRedis(own = true)
	class Faults {

		@Test
		void failsWhileRedisIsDownAndWorksOnceItIsThere(RedisServer server) {
			server.stop();
			LettuceStreamCommands commands = commands(server);
			assertThatThrownBy(commands::serverInfo)
				.satisfies((ex) -> assertThat(RedisFault.of(ex)).isEqualTo(RedisFault.DISCONNECTED));
			assertThatThrownBy(() -> commands.createGroup("s", "g", "0"))
				.satisfies((ex) -> assertThat(RedisFault.of(ex)).isEqualTo(RedisFault.DISCONNECTED));
			assertThat(failure(commands.acknowledge("s", "g", List.of(EntryId.ZERO))))
				.isInstanceOf(RuntimeException.class);
			server.start();
			assertThat(commands.serverInfo().version()).isNotEqualTo("unknown");
			assertThat(commands.createGroup("s", "g", "0")).isTrue();
			assertThat(commands.openReader(new StreamConsumer("s", "g", "c"))).satisfies(StreamReader::close);
		}

		@Test
		void comesBackAfterARestart(RedisServer server) {
			LettuceStreamCommands commands = commands(server, (standalone) -> {
			}, (client) -> client.commandTimeout(Duration.ofSeconds(2)));
			commands.createGroup("s", "g", "0");
			server.restart();
			await().ignoreExceptions().untilAsserted(() -> assertThat(commands.createGroup("s", "g", "0")).isFalse());
			assertThat(commands.publishing().add(new NewEntry("s", fields("n", "1")))).succeedsWithin(5,
					TimeUnit.SECONDS);
		}

		@Test
		void failsInTimeThoughTheApplicationHasNoTimeouts(RedisServer server) {
			try (TcpProxy proxy = new TcpProxy(server.port())) {
				LettuceStreamCommands commands = commands(
						LettuceStreamCommandsTests.this.factories.to(proxy.port(), (standalone) -> {
						}, (client) -> client.commandTimeout(Duration.ofSeconds(1))
							.clientOptions(ClientOptions.builder().timeoutOptions(TimeoutOptions.create()).build())));
				commands.createGroup("s", "g", "0");
				proxy.swallowReplies();
				assertThat(failure(commands.publishing().add(new NewEntry("s", fields("n", "1")))))
					.satisfies((ex) -> assertThat(RedisFault.of(ex)).isEqualTo(RedisFault.TIMEOUT));
			}
		}

		@Test
		void opensAnotherConnectionOnceTheSharedOneIsSilent(RedisServer server) {
			try (TcpProxy proxy = new TcpProxy(server.port())) {
				LettuceStreamCommands commands = commands(
						LettuceStreamCommandsTests.this.factories.to(proxy.port(), (standalone) -> {
						}, (client) -> client.commandTimeout(Duration.ofMillis(500))));
				commands.createGroup("s", "g", "0");
				proxy.silenceConnections();
				assertThatThrownBy(() -> commands.createGroup("s", "g", "0"))
					.satisfies((ex) -> assertThat(RedisFault.of(ex)).isEqualTo(RedisFault.TIMEOUT));
				await().ignoreExceptions()
					.untilAsserted(() -> assertThat(commands.createGroup("s", "g", "0")).isFalse());
				await().untilAsserted(() -> assertThat(proxy.connections()).isEqualTo(1));
			}
		}

		@Test
		void readsFromTheMasterThoughTheApplicationPrefersReplicas(RedisServer server) throws Exception {
			try (RedisServer replica = RedisServer.started("--replicaof", "127.0.0.1",
					Integer.toString(server.port()))) {
				await().until(() -> replica.info("master_link_status").orElse("").equals("up"));
				await().until(() -> server.info("connected_slaves").orElse("").equals("1"));
				LettuceStreamCommands commands = commands(server, (standalone) -> {
				}, (client) -> client.readFrom(ReadFrom.REPLICA_PREFERRED));
				replica.command("CONFIG", "RESETSTAT");
				commands.createGroup("s", "g", "0");
				String id = server.add("s", "n", "1");
				try (StreamReader reader = commands.openReader(new StreamConsumer("s", "g", "c"))) {
					assertThat(reader.readNew(1, Duration.ofSeconds(5)).entries())
						.extracting((entry) -> entry.id().toString())
						.containsExactly(id);
				}
				assertThat(commands.groups("s")).extracting(GroupInfo::pending).containsExactly(1L);
				assertThat(await5(commands.sampling().countLag("s", EntryId.ZERO, 10)).entries()).isEqualTo(1);
				assertThat(replica.text("INFO", "commandstats")).doesNotContain("cmdstat_xinfo", "cmdstat_eval");
			}
		}

	}

	@Nested
	class MasterAndReplica {

		@Test
		void everythingGoesToTheMasterOfAStaticConfiguration() throws Exception {
			try (RedisServer master = RedisServer.started();
					RedisServer replica = RedisServer.started("--replicaof", "127.0.0.1",
							Integer.toString(master.port()))) {
				await().until(() -> replica.info("master_link_status").equals(Optional.of("up")));
				RedisStaticMasterReplicaConfiguration nodes = new RedisStaticMasterReplicaConfiguration("127.0.0.1",
						replica.port());
				nodes.addNode("127.0.0.1", master.port());
				LettuceConnectionFactory factory = new LettuceConnectionFactory(nodes,
						LettuceClientConfiguration.builder().readFrom(ReadFrom.REPLICA_PREFERRED).build());
				factory.afterPropertiesSet();
				factory.start();
				try {
					LettuceStreamCommands commands = commands(factory);
					assertThat(commands.createGroup("s", "g", "0")).isTrue();
					await5(commands.publishing().add(new NewEntry("s", fields("n", "1"))));
					try (StreamReader reader = commands.openReader(new StreamConsumer("s", "g", "c"))) {
						assertThat(reader.readNew(1, Duration.ofSeconds(2)).entries()).hasSize(1);
					}
					assertThat(commands.groups("s")).singleElement()
						.satisfies((group) -> assertThat(group.pending()).isEqualTo(1));
					assertThat(master.pending("s", "g")).isEqualTo(1);
				}
				finally {
					factory.destroy();
				}
			}
		}

	}

	@Nested
	@RealRedis
	class ConfigurationsInGeneralTerms {

		@Test
		void areFollowedToTheServerThatTheyName(RedisServer server) {
			RedisConfiguration configuration = new RedisStandaloneConfiguration("127.0.0.1", server.port());
			LettuceConnectionFactory factory = new LettuceConnectionFactory(configuration);
			factory.afterPropertiesSet();
			factory.start();
			try {
				assertThat(commands(factory).createGroup("s", "g", "0")).isTrue();
				assertThat(server.list("XINFO", "GROUPS", "s")).hasSize(1);
			}
			finally {
				factory.destroy();
			}
		}

	}

	@Nested
	class OtherFactories {

		@Test
		void areRefusedWithTheMend() {
			assertThatExceptionOfType(StreamsConfigurationException.class)
				.isThrownBy(() -> new LettuceStreamCommands(new JedisConnectionFactory()))
				.withMessageContaining("LettuceConnectionFactory")
				.withMessageContaining(JedisConnectionFactory.class.getName())
				.extracting(StreamsConfigurationException::getAction, type(String.class))
				.asString()
				.contains("spring.data.redis.client-type", "redis.streams.enabled=false");
		}

	}

}
