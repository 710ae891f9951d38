package io.github.redisstreams.autoconfigure.actuate;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.stream.StreamSupport;

import io.github.redisstreams.autoconfigure.actuate.Actuator.Reply;
import io.github.redisstreams.autoconfigure.actuate.ActuatorApplications.Application;
import io.github.redisstreams.config.StreamListenerRegistry;
import io.github.redisstreams.listener.ContainerState;
import io.github.redisstreams.listener.StreamListenerContainer;
import io.github.redisstreams.test.RealRedis;
import io.github.redisstreams.test.RedisServer;
import io.github.redisstreams.test.TcpProxy;
import io.micrometer.context.ContextRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

import org.springframework.boot.actuate.audit.AuditEvent;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.ApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The endpoint over HTTP, in an application that does not know Spring Security.
 */
@RealRedis(own = true)
class RedisStreamsEndpointHttpTests {

	private static final String LETTERS = "{app:events}:dlq";

	private RedisServer redis;

	private WebApplicationContextRunner runner;

	// The JVM looks for its services once, and fails on those that the class loader hides
	@BeforeAll
	static void loadContextAccessors() {
		ContextRegistry.getInstance();
	}

	@BeforeEach
	void open(RedisServer redis) {
		this.redis = redis;
		this.runner = withoutSecurity(ActuatorApplications.on(redis));
	}

	@AfterEach
	void permitEverything() {
		this.redis.start().command("ACL", "SETUSER", "default", "+@all");
	}

	private static WebApplicationContextRunner withoutSecurity(WebApplicationContextRunner runner) {
		return runner.withClassLoader(new FilteredClassLoader("org.springframework.security"));
	}

	private void run(BiConsumer<Actuator, Application> test, String... properties) {
		run(this.runner.withPropertyValues(properties), test);
	}

	private static void run(WebApplicationContextRunner runner, BiConsumer<Actuator, Application> test) {
		runner.run((context) -> {
			assertThat(context).hasNotFailed();
			await().until(() -> container(context).getStatus().state() == ContainerState.POLLING);
			Application application = context.getBean(Application.class);
			try {
				test.accept(Actuator.of(context), application);
			}
			finally {
				application.open.countDown();
			}
		});
	}

	private static StreamListenerContainer container(ApplicationContext context) {
		return Objects.requireNonNull(context.getBean(StreamListenerRegistry.class).getContainer("events"));
	}

	private static List<JsonNode> elements(JsonNode array) {
		return StreamSupport.stream(array.spliterator(), false).toList();
	}

	private void awaitDeadLetters(long count) {
		await().until(() -> this.redis.length(LETTERS) == count && this.redis.pending("app:events", "billing") == 0);
	}

	@Test
	void listsAllListeners() {
		run((actuator, application) -> {
			Reply reply = actuator.get("/redisstreams");
			assertThat(reply.status()).isEqualTo(200);
			JsonNode events = reply.at("/listeners/events");
			assertThat(events.propertyNames()).containsExactlyInAnyOrder("stream", "group", "consumer", "state",
					"paused", "lastPoll", "consumerShared", "inFlight", "underWay");
			assertThat(reply.text("/listeners/events/stream")).isEqualTo("app:events");
			assertThat(reply.text("/listeners/events/group")).isEqualTo("billing");
			assertThat(reply.text("/listeners/events/consumer")).isEqualTo("one");
			assertThat(reply.text("/listeners/events/state")).isEqualTo("POLLING");
			assertThat(Instant.parse(reply.text("/listeners/events/lastPoll"))).isBeforeOrEqualTo(Instant.now());
			assertThat(reply.text("/listeners/other/state")).isEqualTo("STOPPED");
		});
	}

	@Test
	void asksRedisNothingForTheList() {
		run((actuator, application) -> {
			actuator.post("/redisstreams/events", "{\"action\":\"stop\"}");
			this.redis.stop();
			Reply reply = actuator.get("/redisstreams");
			assertThat(reply.status()).isEqualTo(200);
			assertThat(reply.text("/listeners/events/state")).isEqualTo("STOPPED");
		});
	}

	@Test
	void tellsOfGroupsConsumersAndWhatIsPending() {
		this.redis.command("XGROUP", "CREATE", "app:events", "audit", "$", "MKSTREAM");
		run((actuator, application) -> {
			this.redis.command("XGROUP", "CREATECONSUMER", "app:events", "audit", "idle");
			String id = this.redis.add("app:events", "payload", "slow");
			await().until(() -> this.redis.pending("app:events", "billing") == 1);
			Reply reply = actuator.get("/redisstreams/events");
			assertThat(reply.status()).isEqualTo(200);
			assertThat(reply.text("/id")).isEqualTo("events");
			assertThat(reply.text("/listener/state")).isEqualTo("POLLING");
			assertThat(reply.at("/listener/inFlight").intValue()).isEqualTo(1);
			assertThat(reply.at("/length").intValue()).isEqualTo(1);
			assertThat(reply.text("/groups/0/name")).as("its own first").isEqualTo("billing");
			assertThat(reply.at("/groups/0/pending").intValue()).isEqualTo(1);
			assertThat(reply.text("/groups/0/lastDeliveredId")).isEqualTo(id);
			assertThat(reply.text("/groups/1/name")).isEqualTo("audit");
			assertThat(reply.at("/groups/1/consumers").intValue()).isEqualTo(1);
			assertThat(reply.at("/groups/1/lag").intValue()).isEqualTo(1);
			assertThat(reply.at("/groups/1/lagBounded").booleanValue()).isFalse();
			assertThat(Duration.parse(reply.text("/groups/0/oldestPending"))).isPositive();
			assertThat(reply.text("/groups/0/oldestUndelivered")).isEqualTo("PT0S");
			assertThat(Duration.parse(reply.text("/groups/1/oldestUndelivered"))).isPositive();
			assertThat(elements(reply.at("/consumers"))).hasSize(1);
			assertThat(reply.text("/consumers/0/name")).isEqualTo("one");
			assertThat(reply.at("/consumers/0/pending").intValue()).isEqualTo(1);
			assertThat(Duration.parse(reply.text("/consumers/0/idle"))).isLessThan(Duration.ofMinutes(1));
			assertThat(reply.text("/mostDelivered/entries/0/id")).isEqualTo(id);
			assertThat(reply.text("/mostDelivered/entries/0/consumer")).isEqualTo("one");
			assertThat(reply.at("/mostDelivered/entries/0/deliveryCount").intValue()).isEqualTo(1);
			assertThat(reply.at("/mostDelivered/complete").booleanValue()).isTrue();
			assertThat(reply.at("/deadLetters/count").intValue()).isZero();
			assertThat(reply.at("/errors").isMissingNode()).isTrue();
		});
	}

	@Test
	void countsTheLagThatTheServerCannotTell() {
		List<String> ids = this.redis.addPipelined("app:events", 30);
		this.redis.command("XGROUP", "CREATE", "app:events", "audit", ids.get(4));
		this.redis.command("XDEL", "app:events", ids.get(20));
		run((actuator, application) -> {
			Reply reply = actuator.get("/redisstreams/events");
			assertThat(reply.text("/groups/1/name")).isEqualTo("audit");
			assertThat(reply.at("/groups/1/lag").intValue()).isEqualTo(24);
			assertThat(reply.at("/groups/1/lagBounded").booleanValue()).isFalse();
		});
	}

	@Test
	void findsTheEntriesThatWereDeliveredMostOftenAmongTheFirstThousandPending() {
		List<String> ids = this.redis.addPipelined("app:events", 1500);
		this.redis.command("XGROUP", "CREATE", "app:events", "billing", "0");
		this.redis.deliver("app:events", "billing", "dead", 1500);
		this.redis.command("XCLAIM", "app:events", "billing", "dead", "0", ids.get(700), "RETRYCOUNT", "9", "JUSTID");
		this.redis.command("XCLAIM", "app:events", "billing", "dead", "0", ids.get(3), "RETRYCOUNT", "4", "JUSTID");
		this.redis.command("XCLAIM", "app:events", "billing", "dead", "0", ids.get(1400), "RETRYCOUNT", "99", "JUSTID");
		run((actuator, application) -> {
			Reply reply = actuator.get("/redisstreams/events");
			assertThat(elements(reply.at("/mostDelivered/entries"))).hasSize(10);
			assertThat(reply.text("/mostDelivered/entries/0/id")).isEqualTo(ids.get(700));
			assertThat(reply.at("/mostDelivered/entries/0/deliveryCount").intValue()).isEqualTo(9);
			assertThat(reply.text("/mostDelivered/entries/1/id")).isEqualTo(ids.get(3));
			assertThat(reply.at("/mostDelivered/searched").intValue()).isEqualTo(1000);
			assertThat(reply.at("/mostDelivered/complete").booleanValue()).isFalse();
			assertThat(reply.at("/groups/0/pending").intValue()).isEqualTo(1500);
		});
	}

	@Test
	void showsRecentDeadLettersWithoutTheirContent() {
		run((actuator, application) -> {
			this.redis.addPipelined("app:events", 12,
					(n) -> new String[] { "payload", "bad " + n, "traceparent", "00-12" });
			awaitDeadLetters(12);
			String id = this.redis.add("app:events", "payload", "failing");
			awaitDeadLetters(13);
			Reply reply = actuator.get("/redisstreams/events");
			assertThat(reply.body()).doesNotContain("bad").doesNotContain("4111").doesNotContain("00-12");
			assertThat(reply.text("/deadLetters/stream")).isEqualTo(LETTERS);
			assertThat(reply.at("/deadLetters/count").intValue()).isEqualTo(13);
			assertThat(elements(reply.at("/deadLetters/recent"))).hasSize(10);
			assertThat(reply.text("/deadLetters/recent/0/entryId")).as("newest first").isEqualTo(id);
			assertThat(reply.text("/deadLetters/recent/0/reason")).isEqualTo("failed at delivery 1 of 1");
			assertThat(reply.text("/deadLetters/recent/0/exception"))
				.isEqualTo(IllegalArgumentException.class.getName());
			assertThat(reply.text("/deadLetters/recent/0/message")).isEqualTo("******");
			assertThat(reply.at("/deadLetters/recent/0/deliveryCount").intValue()).isEqualTo(1);
			assertThat(reply.text("/deadLetters/recent/1/reason")).as("the message of the exception")
				.isEqualTo("******");
			assertThat(reply.at("/deadLetters/recent/1/fields").toString())
				.isEqualTo("{\"payload\":\"******\",\"traceparent\":\"******\"}");
		}, "redis.streams.listener.max-deliveries=1");
	}

	@Test
	void showsTheContentOfDeadLettersWhereThatIsAllowed() {
		run((actuator, application) -> {
			this.redis.add("app:events", "payload", "bad one", "x", "1".repeat(3000));
			awaitDeadLetters(1);
			Reply reply = actuator.get("/redisstreams/events");
			assertThat(reply.text("/deadLetters/recent/0/fields/payload")).isEqualTo("bad one");
			assertThat(reply.text("/deadLetters/recent/0/fields/x")).isEqualTo("1".repeat(1000) + "...");
			assertThat(reply.text("/deadLetters/recent/0/reason")).isEqualTo("cannot read bad one");
			assertThat(reply.text("/deadLetters/recent/0/message")).isEqualTo("cannot read bad one");
		}, "management.endpoint.redisstreams.show-values=always");
	}

	@Test
	void sanitizesWhatItShows() {
		run(this.runner.withPropertyValues("management.endpoint.redisstreams.show-values=always")
			.withBean(SanitizingFunction.class,
					() -> SanitizingFunction.sanitizeValue().ifKeyEquals("token").ifValueStringMatches(".*one.*")),
				(actuator, application) -> {
					this.redis.add("app:events", "payload", "bad two", "token", "abc", "card", "number one");
					awaitDeadLetters(1);
					Reply reply = actuator.get("/redisstreams/events");
					assertThat(reply.text("/deadLetters/recent/0/fields/payload")).isEqualTo("bad two");
					assertThat(reply.text("/deadLetters/recent/0/fields/token")).isEqualTo("******");
					assertThat(reply.text("/deadLetters/recent/0/fields/card")).isEqualTo("******");
				});
	}

	@Test
	void hidesContentFromWhoIsNotKnownWithoutSpringSecurity() {
		run((actuator, application) -> {
			this.redis.add("app:events", "payload", "bad one");
			awaitDeadLetters(1);
			assertThat(actuator.get("/redisstreams/events").text("/deadLetters/recent/0/fields/payload"))
				.isEqualTo("******");
		}, "management.endpoint.redisstreams.show-values=when-authorized");
	}

	@Test
	void pausesResumesStopsAndStarts() {
		run((actuator, application) -> {
			Reply paused = actuator.post("/redisstreams/events", "{\"action\":\"pause\"}");
			assertThat(paused.status()).isEqualTo(200);
			assertThat(paused.body())
				.isEqualTo("{\"listener\":\"events\",\"action\":\"pause\",\"outcome\":\"DONE\",\"state\":\"PAUSED\"}");
			assertThat(actuator.get("/redisstreams").at("/listeners/events/paused").booleanValue()).isTrue();
			this.redis.add("app:events", "payload", "one");
			await().during(Duration.ofMillis(300)).until(application.handled::isEmpty);
			actuator.post("/redisstreams/events", "{\"action\":\"resume\"}");
			await().until(() -> application.handled.contains("one"));
			Reply stopped = actuator.post("/redisstreams/events", "{\"action\":\"STOP\"}");
			assertThat(stopped.text("/state")).isEqualTo("STOPPED");
			Reply started = actuator.post("/redisstreams/events", "{\"action\":\"start\"}");
			assertThat(started.text("/state")).isIn("STARTING", "POLLING");
			this.redis.add("app:events", "payload", "two");
			await().until(() -> application.handled.contains("two"));
			await().untilAsserted(() -> assertThat(application.audited).extracting((event) -> event.getData())
				.containsExactly(audited("pause"), audited("resume"), audited("stop"), audited("start")));
		});
	}

	private static Map<String, Object> audited(String action) {
		return Map.of("listener", "events", "action", action, "outcome", "success");
	}

	@Test
	void doesNotWaitForAStopThatTakesLong() {
		run((actuator, application) -> {
			this.redis.add("app:events", "payload", "slow");
			await().until(() -> this.redis.pending("app:events", "billing") == 1);
			Reply reply = actuator.post("/redisstreams/events", "{\"action\":\"stop\"}");
			assertThat(reply.status()).isEqualTo(202);
			assertThat(reply.text("/outcome")).isEqualTo("UNDER_WAY");
			assertThat(actuator.get("/redisstreams").at("/listeners/events/underWay").toString())
				.isEqualTo("[\"stop\"]");
			assertThat(application.audited).isEmpty();
			application.open.countDown();
			await().until(() -> actuator.get("/redisstreams").text("/listeners/events/state").equals("STOPPED"));
			await().untilAsserted(() -> assertThat(application.audited).extracting(AuditEvent::getData)
				.containsExactly(audited("stop")));
			assertThat(actuator.get("/redisstreams").at("/listeners/events/underWay").isEmpty()).isTrue();
			assertThat(application.handled).as("not interrupted").containsExactly("slow");
		}, "management.endpoint.redisstreams.timeout=200ms");
	}

	@Test
	void redrivesDeadLetters() {
		run((actuator, application) -> {
			this.redis.addPipelined(LETTERS, 3, (n) -> new String[] { "payload", "mended " + n });
			Reply dry = actuator.post("/redisstreams/events", "{\"action\":\"redrive\",\"dryRun\":true}");
			assertThat(dry.status()).isEqualTo(200);
			assertThat(dry.at("/result/redriven").intValue()).isEqualTo(3);
			assertThat(dry.at("/result/dryRun").booleanValue()).isTrue();
			assertThat(this.redis.length(LETTERS)).isEqualTo(3);
			Reply reply = actuator.post("/redisstreams/events", "{\"action\":\"redrive\",\"maximum\":2}");
			assertThat(reply.status()).isEqualTo(200);
			assertThat(reply.text("/outcome")).isEqualTo("DONE");
			assertThat(reply.at("/result/redriven").intValue()).isEqualTo(2);
			assertThat(reply.at("/result/remaining").intValue()).isEqualTo(1);
			assertThat(reply.at("/result/dryRun").booleanValue()).isFalse();
			assertThat(elements(reply.at("/result/entries"))).hasSize(2)
				.allSatisfy((entry) -> assertThat(entry.propertyNames()).containsExactlyInAnyOrder("deadLetterId",
						"stream", "id"));
			await().untilAsserted(() -> assertThat(application.handled).containsExactly("mended 0", "mended 1"));
			await().untilAsserted(() -> assertThat(application.audited).hasSize(2)
				.last()
				.satisfies((event) -> assertThat(event.getData()).containsEntry("listener", "events")
					.containsEntry("action", "redrive")
					.containsEntry("parameters", Map.of("maximum", "2"))
					.containsEntry("outcome", "success")
					.containsEntry("redriven", 2L)
					.containsEntry("remaining", 1L)
					.doesNotContainKey("entries")));
		});
	}

	@Test
	void redrivesSingleDeadLettersAndLeavesThoseThatWentRoundTooOften() {
		run((actuator, application) -> {
			List<String> ids = this.redis.addPipelined(LETTERS, 3, (n) -> new String[] { "payload", "mended " + n });
			String often = this.redis.add(LETTERS, "payload", "often", "redis_deadLetterRedrives", "3");
			String body = "{\"action\":\"redrive\",\"ids\":\"%s, %s,1-1\"}".formatted(ids.get(2), often);
			Reply reply = actuator.post("/redisstreams/events", body);
			assertThat(reply.at("/result/redriven").intValue()).isEqualTo(1);
			assertThat(reply.at("/result/refused").intValue()).isEqualTo(1);
			assertThat(reply.at("/result/missing").intValue()).isEqualTo(1);
			await().untilAsserted(() -> assertThat(application.handled).containsExactly("mended 2"));
			reply = actuator.post("/redisstreams/events",
					"{\"action\":\"redrive\",\"ids\":\"%s\",\"maxRedrives\":4}".formatted(often));
			assertThat(reply.at("/result/redriven").intValue()).isEqualTo(1);
		});
	}

	@Test
	void purgesDeadLetters() {
		run((actuator, application) -> {
			List<String> ids = this.redis.addPipelined(LETTERS, 5, (n) -> new String[] { "payload", "useless " + n });
			Reply reply = actuator.post("/redisstreams/events",
					"{\"action\":\"purge\",\"ids\":\"%s\"}".formatted(ids.get(4)));
			assertThat(reply.status()).isEqualTo(200);
			assertThat(reply.at("/result").toString()).isEqualTo("{\"purged\":1,\"remaining\":4}");
			reply = actuator.post("/redisstreams/events",
					"{\"action\":\"purge\",\"from\":\"%s\",\"to\":\"%s\",\"maximum\":100}".formatted(ids.get(1),
							Instant.now().plusSeconds(60)));
			assertThat(reply.at("/result").toString()).isEqualTo("{\"purged\":3,\"remaining\":1}");
			reply = actuator.post("/redisstreams/events",
					"{\"action\":\"purge\",\"from\":\"2000-01-01T00:00:00Z\",\"to\":\"2001-01-01T00:00:00Z\",\"maximum\":1}");
			assertThat(reply.at("/result").toString()).isEqualTo("{\"purged\":0,\"remaining\":1}");
			await().untilAsserted(
					() -> assertThat(application.audited).extracting((event) -> event.getData().get("purged"))
						.containsExactly(1L, 3L, 0L));
		});
	}

	@Test
	void knowsNoListenerOfThatId() {
		run((actuator, application) -> {
			for (Reply reply : List.of(actuator.get("/redisstreams/evnts"),
					actuator.post("/redisstreams/evnts", "{\"action\":\"pause\"}"))) {
				assertThat(reply.status()).isEqualTo(404);
				assertThat(reply.text("/error")).isEqualTo("There is no listener 'evnts'. There are: events, other");
			}
			assertThat(application.audited).isEmpty();
		});
	}

	@ParameterizedTest
	@CsvSource(quoteCharacter = '`', delimiter = '|',
			textBlock = """
					{"action":"pase"} | There is no action 'pase'. 'action' must be one of 'pause', 'resume', 'stop'
					{} | No action is given. 'action' must be one of 'pause', 'resume', 'stop', 'start', 'redrive', 'purge'
					{"action":"pause","maximum":1} | The action 'pause' knows nothing of 'maximum'. It takes no parameters
					{"action":"purge"} | Say which: either 'ids', or all of 'from', 'to' and 'maximum'
					{"action":"purge","from":"0","to":"5","maximum":1,"untill":"3"} | The action 'purge' knows nothing of 'untill'
					{"action":"redrive","maximum":"many"} | 'maximum' must be a number from 1 to 1000, not 'many'
					""")
	void saysWhatIsWrongWithARequest(String body, String error) {
		this.redis.addPipelined(LETTERS, 3);
		run((actuator, application) -> {
			Reply reply = actuator.post("/redisstreams/events", body);
			assertThat(reply.status()).isEqualTo(400);
			assertThat(reply.text("/error")).contains(error);
			assertThat(this.redis.length(LETTERS)).isEqualTo(3);
			assertThat(application.audited).isEmpty();
		});
	}

	@Test
	void takesNoBodyThatIsNoJson() {
		run((actuator, application) -> assertThat(actuator.post("/redisstreams/events", "action=pause").status())
			.isEqualTo(400));
	}

	@Test
	void saysThatRedisIsDown() {
		run((actuator, application) -> {
			this.redis.stop();
			await().until(() -> actuator.get("/redisstreams").text("/listeners/events/state").equals("BACKING_OFF"));
			Reply reply = actuator.get("/redisstreams/events");
			assertThat(reply.status()).isEqualTo(503);
			assertThat(reply.text("/errors/redis")).contains("No connection to Redis");
			assertThat(reply.text("/listener/state")).isEqualTo("BACKING_OFF");
			assertThat(reply.text("/listener/lastError")).contains("cannot read stream");
			assertThat(reply.body()).doesNotContain("Exception");
			Reply redrive = actuator.post("/redisstreams/events", "{\"action\":\"redrive\"}");
			assertThat(redrive.status()).isEqualTo(503);
			assertThat(redrive.text("/error")).contains("No connection to Redis");
			await().untilAsserted(() -> assertThat(application.audited).singleElement()
				.satisfies((event) -> assertThat(event.getData()).containsEntry("outcome", "failure")
					.hasEntrySatisfying("error",
							(error) -> assertThat(error).asString().contains("No connection to Redis"))));
			assertThat(actuator.post("/redisstreams/events", "{\"action\":\"pause\"}").status()).isEqualTo(200);
			this.redis.start();
			await().atMost(Duration.ofSeconds(30)).until(() -> actuator.get("/redisstreams/events").status() == 200);
		});
	}

	@Test
	void doesNotWaitForARedisThatDoesNotReply() {
		try (TcpProxy proxy = new TcpProxy(this.redis.port())) {
			run(withoutSecurity(ActuatorApplications.on(proxy.port())).withPropertyValues(
					"management.endpoints.web.exposure.include=redisstreams",
					"management.endpoint.redisstreams.timeout=300ms"), (actuator, application) -> {
						assertThat(actuator.get("/redisstreams/events").status()).isEqualTo(200);
						proxy.swallowReplies();
						long start = System.nanoTime();
						Reply reply = actuator.get("/redisstreams/events");
						assertThat(reply.status()).isEqualTo(503);
						assertThat(reply.text("/errors/redis")).isEqualTo("No reply within 300 ms");
						Reply redrive = actuator.post("/redisstreams/events", "{\"action\":\"redrive\"}");
						assertThat(redrive.status()).isEqualTo(202);
						assertThat(System.nanoTime() - start).isLessThan(TimeUnit.SECONDS.toNanos(8));
						proxy.heal();
						proxy.cutConnections();
						await().atMost(Duration.ofSeconds(30))
							.until(() -> actuator.get("/redisstreams/events").status() == 200);
						await().atMost(Duration.ofSeconds(30))
							.untilAsserted(() -> assertThat(application.audited).hasSize(1));
					});
		}
	}

	@Test
	void tellsWhatItMayAndSaysWhatItMayNot() {
		run((actuator, application) -> {
			this.redis.command("ACL", "SETUSER", "default", "-xinfo");
			Reply reply = actuator.get("/redisstreams/events");
			assertThat(reply.status()).isEqualTo(200);
			assertThat(reply.at("/errors").propertyNames()).containsExactlyInAnyOrder("groups", "consumers");
			assertThat(reply.text("/errors/groups")).contains("Redis refuses the command to this user");
			assertThat(reply.at("/mostDelivered/complete").booleanValue()).isTrue();
			assertThat(reply.at("/deadLetters/count").intValue()).isZero();
			this.redis.add(LETTERS, "payload", "x");
			this.redis.command("ACL", "SETUSER", "default", "-xdel");
			Reply purge = actuator.post("/redisstreams/events", "{\"action\":\"purge\",\"ids\":\"1-1\"}");
			assertThat(purge.status()).isEqualTo(500);
			assertThat(purge.text("/error")).contains("Redis refuses the command to this user");
		});
	}

	@Test
	void saysWhatAStoppedListenersStreamLacks() {
		run((actuator, application) -> {
			Reply reply = actuator.get("/redisstreams/other");
			assertThat(reply.status()).isEqualTo(200);
			assertThat(reply.at("/length").intValue()).isZero();
			assertThat(reply.text("/errors/groups")).contains("no such key");
			assertThat(reply.at("/deadLetters/recent").isEmpty()).isTrue();
		});
	}

	@Test
	void canBeReadOnly() {
		run((actuator, application) -> {
			assertThat(actuator.get("/redisstreams/events").status()).isEqualTo(200);
			assertThat(actuator.post("/redisstreams/events", "{\"action\":\"pause\"}").status()).isEqualTo(405);
		}, "management.endpoint.redisstreams.access=READ_ONLY");
	}

}
