package io.github.redisstreams.sample.monitoring;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A Prometheus that scrapes one application every second and has loaded the alert rules.
 * It ends when it is closed, or with this process, even if that is killed.
 */
final class PrometheusServer implements AutoCloseable {

	static final String JOB = "sample-app";

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	/**
	 * Ends the server at the end of the input: that is when this process closes it or is
	 * no more.
	 */
	private static final String KEEPER = """
			"$@" < /dev/null &
			server=$!
			trap '' HUP INT TERM
			cat
			kill "$server"
			wait "$server"
			""";

	private final HttpClient client = HttpClient.newHttpClient();

	private final JsonMapper json = new JsonMapper();

	private final int port;

	private final Path log;

	private final Process keeper;

	private PrometheusServer(int port, Path log, Process keeper) {
		this.port = port;
		this.log = log;
		this.keeper = keeper;
	}

	/**
	 * Start a server and wait until it has scraped the application.
	 * @param executable the program
	 * @param directory takes its files
	 * @param application the port of the application on this machine
	 */
	static PrometheusServer start(String executable, Path directory, int application) throws IOException {
		Path configuration = Files.writeString(directory.resolve("prometheus.yml"), """
				global:
				  scrape_interval: 1s
				  evaluation_interval: 1s
				rule_files:
				  - '%s'
				scrape_configs:
				  - job_name: %s
				    metrics_path: /actuator/prometheus
				    static_configs:
				      - targets: ['127.0.0.1:%d']
				""".formatted(MonitoringFiles.ALERTS, JOB, application));
		Path log = directory.resolve("prometheus.log");
		int port = freePort();
		Process keeper = new ProcessBuilder("sh", "-c", KEEPER, "keeper", executable, "--config.file=" + configuration,
				"--storage.tsdb.path=" + directory.resolve("data"), "--web.listen-address=127.0.0.1:" + port)
			.directory(directory.toFile())
			.redirectErrorStream(true)
			.redirectOutput(log.toFile())
			.start();
		PrometheusServer server = new PrometheusServer(port, log, keeper);
		try {
			await().atMost(PATIENCE).untilAsserted(server::hasScraped);
			return server;
		}
		catch (RuntimeException ex) {
			server.close();
			throw ex;
		}
	}

	private static int freePort() throws IOException {
		try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
			return socket.getLocalPort();
		}
	}

	private void hasScraped() throws IOException, InterruptedException {
		try {
			JsonNode targets = data("/api/v1/targets").get("activeTargets");
			assertThat(MonitoringFiles.elements(targets)).singleElement()
				.satisfies(
						(target) -> assertThat(target.get("health").asString()).as(target.toString()).isEqualTo("up"));
		}
		catch (ConnectException ex) {
			throw new AssertionError("It does not answer. " + MonitoringFiles.read(this.log), ex);
		}
	}

	/**
	 * What an expression is now: a list of samples, each with {@code metric} and
	 * {@code value}.
	 */
	List<JsonNode> query(String expression) throws IOException, InterruptedException {
		return MonitoringFiles.elements(data("/api/v1/query?query=" + encode(expression)).get("result"));
	}

	/**
	 * The values that a label has where a selector matches.
	 */
	List<String> labelValues(String label, String selector) throws IOException, InterruptedException {
		return MonitoringFiles.elements(data("/api/v1/label/" + label + "/values?match%5B%5D=" + encode(selector)))
			.stream()
			.map(JsonNode::asString)
			.toList();
	}

	/**
	 * The rules with their health.
	 */
	List<JsonNode> rules() throws IOException, InterruptedException {
		return MonitoringFiles.elements(data("/api/v1/rules").get("groups"))
			.stream()
			.flatMap((group) -> MonitoringFiles.elements(group.get("rules")).stream())
			.toList();
	}

	private JsonNode data(String path) throws IOException, InterruptedException {
		URI uri = URI.create("http://127.0.0.1:" + this.port + path);
		String body = this.client
			.send(HttpRequest.newBuilder(uri).timeout(PATIENCE).build(), HttpResponse.BodyHandlers.ofString())
			.body();
		assertThat(body).as(path).startsWith("{");
		JsonNode answer = this.json.readTree(body);
		assertThat(answer.get("status").asString()).as("%s: %s", path, answer).isEqualTo("success");
		return answer.get("data");
	}

	private static String encode(String text) {
		return URLEncoder.encode(text, StandardCharsets.UTF_8);
	}

	@Override
	public void close() throws IOException {
		this.keeper.getOutputStream().close();
		try {
			if (!this.keeper.waitFor(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
				this.keeper.descendants().forEach(ProcessHandle::destroyForcibly);
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
