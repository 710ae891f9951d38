package io.github.redisstreams.listener;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

import io.github.redisstreams.listener.Containers.Recorder;
import io.github.redisstreams.test.RealRedis;
import io.github.redisstreams.test.RedisServer;
import io.github.redisstreams.test.TlsCertificate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

/**
 * That a container works over TLS as the application's connection factory says.
 */
@Tag("core")
@RealRedis
class StreamListenerContainerTlsTests {

	@TempDir
	private Path directory;

	private TlsCertificate certificate;

	private int port;

	private RedisServer server;

	private Containers containers;

	@BeforeEach
	void open(RedisServer any) {
		assumeFalse(any.list("CONFIG", "GET", "tls-port").isEmpty(), "The server was built without TLS");
		this.certificate = TlsCertificate.in(this.directory);
		this.port = RedisServer.freePort();
		this.server = RedisServer.started(this.certificate.serverArguments(this.port));
		this.containers = new Containers(() -> new RedisStandaloneConfiguration("127.0.0.1", this.port),
				(client) -> client.clientOptions(this.certificate.trusting()).useSsl());
	}

	@AfterEach
	void close() {
		if (this.server != null) {
			this.containers.close();
			this.server.close();
		}
	}

	private void awaitHandled(Recorder handler, List<String> ids) {
		await().untilAsserted(() -> assertThat(handler.ids()).containsAll(ids));
		await().ignoreExceptions().untilAsserted(() -> assertThat(this.server.pending("s", "g")).isZero());
	}

	private void awaitBlocked() {
		await().ignoreExceptions().until(() -> !this.server.blockedClients().isEmpty());
	}

	@Test
	void handlesAndAcknowledgesOverConnectionsToTheTlsPortAlone() {
		Recorder handler = new Recorder();
		this.containers.start("me", handler);
		awaitHandled(handler, this.server.addPipelined("s", 100));
		awaitBlocked();
		assertThat(this.server.clients()).isNotEmpty().allMatch((client) -> client.contains(":" + this.port + " "));
	}

	@Test
	void goesOnAfterARestartOfTheServer() {
		Recorder handler = new Recorder();
		this.containers.start("me", handler);
		List<String> ids = new ArrayList<>(this.server.addPipelined("s", 100));
		awaitHandled(handler, ids);
		awaitBlocked();
		this.server.restart();
		ids.addAll(this.server.addPipelined("s", 100));
		awaitHandled(handler, ids);
		assertThat(handler.ids()).isEqualTo(ids);
	}

	@Test
	void doesNotTalkToAServerThatItDoesNotTrust() {
		try (Containers distrustful = new Containers(() -> new RedisStandaloneConfiguration("127.0.0.1", this.port),
				(client) -> client.useSsl())) {
			StreamListenerContainer container = distrustful.create("me", UnaryOperator.identity(), new Recorder());
			assertThat(container.start()).succeedsWithin(5, TimeUnit.SECONDS);
			assertThat(container.isRunning()).isTrue();
			assertThat(this.server.integer("EXISTS", "s")).as("the stream and its group").isZero();
		}
	}

}
