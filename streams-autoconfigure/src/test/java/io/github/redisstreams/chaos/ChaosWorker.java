package io.github.redisstreams.chaos;

import java.io.IOException;
import java.io.Serial;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;

import io.github.redisstreams.annotation.StreamListener;
import io.github.redisstreams.chaos.Ledger.Step;
import io.github.redisstreams.config.StreamContainerCustomizer;
import io.github.redisstreams.listener.failure.DeadLetterException;
import io.github.redisstreams.listener.failure.RetryAfterException;
import io.github.redisstreams.redis.StreamEntry;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.messaging.converter.MessageConversionException;

/**
 * One instance of the application that is put to the test, in a process of its own. Its
 * handler writes down what it does before it returns.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
class ChaosWorker {

	private static final String LEDGER = "chaos.ledger";

	private static final String SEED = "chaos.seed";

	private static final String ENTRIES = "chaos.entries";

	private static final String SECONDS = "chaos.seconds";

	private static final String FAILING = "chaos.failing";

	private final Workload workload;

	private final Ledger ledger;

	ChaosWorker(Environment environment) throws IOException {
		this.workload = new Workload(required(environment, SEED, Long.class),
				required(environment, ENTRIES, Integer.class),
				Duration.ofSeconds(required(environment, SECONDS, Long.class)),
				required(environment, FAILING, Boolean.class));
		this.ledger = new Ledger(Path.of(required(environment, LEDGER, String.class)),
				required(environment, "redis.streams.consumer", String.class));
	}

	private static <T> T required(Environment environment, String name, Class<T> type) {
		return Objects.requireNonNull(environment.getProperty(name, type), name);
	}

	public static void main(String[] args) {
		new SpringApplicationBuilder(ChaosWorker.class).web(WebApplicationType.NONE).run(args);
	}

	static String[] arguments(Workload workload, Path ledger, String consumer, int port) {
		return new String[] { "--" + LEDGER + "=" + ledger, "--" + SEED + "=" + workload.seed(),
				"--" + ENTRIES + "=" + workload.entries(), "--" + SECONDS + "=" + workload.time().toSeconds(),
				"--" + FAILING + "=" + workload.failing(), "--spring.application.name=" + Workload.GROUP,
				"--redis.streams.consumer=" + consumer, "--spring.data.redis.host=127.0.0.1",
				"--spring.data.redis.port=" + port, "--spring.data.redis.timeout=1s",
				"--spring.data.redis.connect-timeout=1s", "--spring.main.banner-mode=off", "--logging.level.root=warn",
				"--logging.level.io.github.redisstreams=info" };
	}

	@Bean
	StreamContainerCustomizer options() {
		return (endpoint, options) -> options.concurrency(Workload.CONCURRENCY)
			.batchSize(Workload.BATCH_SIZE)
			.pollTimeout(Duration.ofMillis(500))
			.minIdle(Workload.MIN_IDLE)
			.maxDeliveries(this.workload.maxDeliveries())
			.shutdownTimeout(Duration.ofSeconds(6))
			.circuit((circuit) -> circuit.maxPause(Duration.ofSeconds(5)))
			.retry((retry) -> retry.initialInterval(Duration.ofMillis(100)).maxInterval(Duration.ofSeconds(1)));
	}

	@StreamListener(Workload.STREAM)
	void handle(StreamEntry entry) throws InterruptedException {
		int n = Integer.parseInt(new String(Objects.requireNonNull(entry.value("n")), StandardCharsets.UTF_8));
		long delivery = entry.deliveryCount();
		this.ledger.write(Step.START, n, delivery);
		try {
			Thread.sleep(this.workload.work(n, delivery).toMillis());
		}
		catch (InterruptedException ex) {
			this.ledger.write(Step.INTERRUPTED, n, delivery);
			throw ex;
		}
		Workload.Fate fate = this.workload.fate(n, delivery);
		this.ledger.write((fate == Workload.Fate.SUCCEED) ? Step.DONE : Step.FAIL, n, delivery);
		switch (fate) {
			case SUCCEED -> {
			}
			case FAIL -> throw new ExpectedFailure();
			case RETRY_LATER -> throw new RetryAfterException(Duration.ofMillis(300), "later");
			case REJECT -> throw new DeadLetterException("rejected");
			case UNREADABLE -> throw new MessageConversionException("unreadable");
		}
	}

	/**
	 * Spares the log a stack trace.
	 */
	static final class ExpectedFailure extends RuntimeException {

		@Serial
		private static final long serialVersionUID = 1L;

		ExpectedFailure() {
			super("as planned", null, false, false);
		}

	}

}
