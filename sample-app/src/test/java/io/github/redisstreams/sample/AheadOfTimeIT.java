package io.github.redisstreams.sample;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.test.web.servlet.client.RestTestClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * That the packaged sample works with what was generated for it ahead of time, as it does
 * in a native image. Runs after {@code package}, in a process of its own.
 */
class AheadOfTimeIT {

	private static final Duration PATIENCE = Duration.ofMinutes(2);

	@TempDir
	private Path directory;

	private Process process;

	@BeforeEach
	void startWithWhatWasGenerated() throws IOException {
		String jar = Objects.requireNonNull(System.getProperty("sample.jar"), "Run it with mvn verify");
		List<String> command = List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-Dspring.aot.enabled=true", "-jar", jar, "--server.address=127.0.0.1", "--server.port=0",
				"--sample.reminder-delay=0s", "--sample.failure-rate=0");
		this.process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log().toFile()).start();
	}

	@AfterEach
	void stop() throws InterruptedException {
		this.process.destroy();
		if (!this.process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
			this.process.destroyForcibly().waitFor();
		}
	}

	@Test
	void handlesWhatIsPublished() throws IOException {
		int port = Integer.parseInt(awaitLog("Tomcat started on port (\\d+)"));
		awaitLog("(Starting AOT-processed SampleApplication)");
		RestTestClient client = RestTestClient.bindToServer().baseUrl("http://127.0.0.1:" + port).build();
		OrderController.Accepted order = Objects.requireNonNull(client.post()
			.uri("/orders")
			.body(new Order("ada", "tea", 2))
			.exchange()
			.expectStatus()
			.isAccepted()
			.returnResult(OrderController.Accepted.class)
			.getResponseBody());
		awaitLog("(Handled order " + order.id() + ": .*customer=ada)");
		await().atMost(PATIENCE)
			.untilAsserted(() -> client.get()
				.uri(order.reminder())
				.exchange()
				.expectBody()
				.jsonPath("$.state")
				.isEqualTo("COMPLETED"));
		client.get().uri("/actuator/health").exchange().expectStatus().isOk();
	}

	private String awaitLog(String regex) throws IOException {
		Pattern pattern = Pattern.compile(regex);
		await().atMost(PATIENCE)
			.untilAsserted(() -> assertThat(pattern.matcher(Files.readString(log())).find() || !this.process.isAlive())
				.as("%s in%n%s", regex, Files.readString(log()))
				.isTrue());
		Matcher matcher = pattern.matcher(Files.readString(log()));
		assertThat(matcher.find()).as("%s before it has ended:%n%s", regex, Files.readString(log())).isTrue();
		return matcher.group(1);
	}

	private Path log() {
		return this.directory.resolve("sample.log");
	}

}
