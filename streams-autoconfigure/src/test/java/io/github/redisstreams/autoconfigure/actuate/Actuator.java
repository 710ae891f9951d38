package io.github.redisstreams.autoconfigure.actuate;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.context.ApplicationContext;

/**
 * Asks the actuator of an application over HTTP.
 */
final class Actuator {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private final HttpClient client = HttpClient.newHttpClient();

	private final String base;

	private final String authorization;

	private Actuator(String base, String authorization) {
		this.base = base;
		this.authorization = authorization;
	}

	/**
	 * The actuator of an application with a web server.
	 */
	static Actuator of(ApplicationContext application) {
		String port = application.getEnvironment().getRequiredProperty("local.server.port");
		return new Actuator("http://127.0.0.1:" + port + "/actuator", "");
	}

	/**
	 * The same, asked by a user.
	 */
	Actuator as(String user, String password) {
		byte[] credentials = (user + ":" + password).getBytes(StandardCharsets.UTF_8);
		return new Actuator(this.base, "Basic " + Base64.getEncoder().encodeToString(credentials));
	}

	Reply get(String path) {
		return send(request(path).GET());
	}

	Reply post(String path, String json) {
		return send(request(path).header("Content-Type", "application/json")
			.POST(HttpRequest.BodyPublishers.ofString(json)));
	}

	private HttpRequest.Builder request(String path) {
		HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(this.base + path)).timeout(PATIENCE);
		return this.authorization.isEmpty() ? request : request.header("Authorization", this.authorization);
	}

	private Reply send(HttpRequest.Builder request) {
		try {
			HttpResponse<String> response = this.client.send(request.build(), HttpResponse.BodyHandlers.ofString());
			return new Reply(response.statusCode(), response.body());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * A reply.
	 */
	record Reply(int status, String body) {

		/**
		 * The part of its JSON that a pointer such as {@code /listeners/events} leads to.
		 */
		JsonNode at(String pointer) {
			return JsonMapper.shared().readTree(this.body).at(pointer);
		}

		String text(String pointer) {
			return at(pointer).asString();
		}

	}

}
