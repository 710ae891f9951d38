package io.github.redisstreams.test;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.github.redisstreams.StreamsConfigurationException;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

class EmbeddedRedisTests {

	@Test
	void endsWhenItIsClosed() {
		EmbeddedRedis redis = EmbeddedRedis.start();
		assertThat(redis.isRunning()).isTrue();
		assertThat(isListening(redis.host(), redis.port())).isTrue();
		redis.close();
		assertThat(redis.isRunning()).isFalse();
		assertThat(isListening(redis.host(), redis.port())).isFalse();
		redis.close();
	}

	@Test
	void endsWithAProcessThatIsKilled() throws IOException, InterruptedException {
		Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
				System.getProperty("java.class.path"), Killed.class.getName())
			.redirectError(ProcessBuilder.Redirect.INHERIT)
			.start();
		try (BufferedReader output = process.inputReader()) {
			int port = Integer.parseInt(output.readLine());
			assertThat(isListening("127.0.0.1", port)).isTrue();
			process.destroyForcibly().waitFor();
			await().atMost(Duration.ofSeconds(20)).until(() -> !isListening("127.0.0.1", port));
		}
		finally {
			process.destroyForcibly();
		}
	}

	@Test
	void letsNoOtherMachineIn() throws IOException {
		try (EmbeddedRedis redis = EmbeddedRedis.start()) {
			for (InetAddress address : NetworkInterface.networkInterfaces()
				.flatMap(NetworkInterface::inetAddresses)
				.filter((address) -> !address.isLoopbackAddress())
				.toList()) {
				assertThat(isListening(address.getHostAddress(), redis.port())).as("%s", address).isFalse();
			}
		}
	}

	@Test
	void saysWhyItDoesNotStart() {
		Path missing = Path.of("no-such-server");
		assertThatExceptionOfType(StreamsConfigurationException.class).isThrownBy(() -> EmbeddedRedis.start(missing))
			.withMessageContaining("no-such-server could not be started")
			.satisfies((ex) -> assertThat(ex.getAction()).contains("@ServiceConnection"));
		Path mistaken = Path.of(System.getProperty("java.home"), "bin", "java");
		assertThatExceptionOfType(StreamsConfigurationException.class).isThrownBy(() -> EmbeddedRedis.start(mistaken))
			.withMessageContaining("Unrecognized option: --bind");
	}

	private static boolean isListening(String host, int port) {
		try (Socket socket = new Socket(host, port)) {
			return socket.isConnected();
		}
		catch (IOException ex) {
			return false;
		}
	}

	/**
	 * A process that starts a server and does not end by itself.
	 */
	static final class Killed {

		private Killed() {
		}

		public static void main(String[] args) throws InterruptedException {
			System.out.println(EmbeddedRedis.start().port());
			TimeUnit.DAYS.sleep(1);
		}

	}

}
