package io.github.redisstreams.chaos;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.github.redisstreams.chaos.Fault.Kind;
import io.github.redisstreams.chaos.Ledger.Event;
import io.github.redisstreams.test.RedisServer;
import org.awaitility.core.ConditionTimeoutException;

import static org.awaitility.Awaitility.await;

/**
 * One Redis, several instances of an application, entries that keep coming in, and
 * faults.
 */
final class ChaosRun implements AutoCloseable {

	private static final Duration FEEDING_INTERVAL = Duration.ofMillis(100);

	private static final Duration RESTART_PATIENCE = Duration.ofMinutes(4);

	private static final int SLOWEST_RATE = 100;

	private final Workload workload;

	private final Path ledger;

	private final RedisServer redis = RedisServer.started("--appendfsync", "always");

	private final List<Instance> instances;

	private final FaultInjector injector;

	private final ScheduledExecutorService scheduler = Executors.newSingleThreadScheduledExecutor();

	ChaosRun(Workload workload, Path ledger) {
		this.workload = workload;
		this.ledger = ledger;
		this.instances = IntStream.range(0, Workload.INSTANCES)
			.mapToObj((index) -> new Instance(index, workload, ledger, this.redis.port()))
			.toList();
		this.injector = new FaultInjector(this.redis, this.instances, kinds(), workload.seed());
	}

	private static Set<Kind> kinds() {
		String names = System.getProperty("chaos.faults", "");
		return names.isEmpty() ? EnumSet.allOf(Kind.class)
				: Arrays.stream(names.split(","))
					.map(Kind::valueOf)
					.collect(Collectors.toCollection(() -> EnumSet.noneOf(Kind.class)));
	}

	/**
	 * Let it all happen, wait until nothing is left to do, and stop the processes.
	 */
	Verdict run() throws Exception {
		System.out.println("Chaos: seed " + this.workload.seed() + ", " + this.workload.entries() + " entries, "
				+ this.workload.time().toSeconds() + " s of faults, handlers "
				+ (this.workload.failing() ? "fail" : "never fail"));
		this.instances.forEach(Instance::start);
		for (Instance instance : this.instances) {
			instance.awaitReading();
		}
		long start = System.nanoTime();
		Duration time = this.workload.time();
		try (Feeder feeder = new Feeder(this.redis, this.workload.entries(), time)) {
			this.scheduler.scheduleWithFixedDelay(feeder, 0, FEEDING_INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
			this.injector.start(time).get(time.plus(RESTART_PATIENCE).toSeconds(), TimeUnit.SECONDS);
			Duration faulty = Duration.ofNanos(System.nanoTime() - start);
			boolean settled = awaitSettled(feeder);
			Duration all = Duration.ofNanos(System.nanoTime() - start);
			String end = describeEnd();
			List<String> surprises = new ArrayList<>(this.injector.surprises());
			for (Instance instance : this.instances) {
				if (!settled) {
					surprises.add("Instance " + instance.index() + ":\n" + instance.threads());
				}
				instance.stop().ifPresent(surprises::add);
			}
			Verdict verdict = new Verdict(this.workload, feeder, this.instances, this.injector.faults(), events(),
					deadLetters(), settled, surprises);
			System.out.println(verdict.report(faulty, all) + end);
			return verdict;
		}
	}

	private boolean awaitSettled(Feeder feeder) {
		String last = feeder.id(this.workload.entries() - 1);
		try {
			await().atMost(Duration.ofSeconds(60 + this.workload.entries() / SLOWEST_RATE))
				.pollInterval(Duration.ofMillis(100))
				.ignoreExceptions()
				.until(() -> feeder.isDone() && lastDelivered().equals(last)
						&& this.redis.pending(Workload.STREAM, Workload.GROUP) == 0);
			return true;
		}
		catch (ConditionTimeoutException ex) {
			return false;
		}
	}

	private String lastDelivered() {
		List<?> group = (List<?>) this.redis.list("XINFO", "GROUPS", Workload.STREAM).get(0);
		return (String) group.get(group.indexOf("last-delivered-id") + 1);
	}

	private String describeEnd() {
		StringBuilder text = new StringBuilder("  at the end: last delivered ").append(lastDelivered()).append('\n');
		this.redis.pendingEntries(Workload.STREAM, Workload.GROUP)
			.forEach((id,
					pending) -> text.append("  still pending: ").append(id).append(' ').append(pending).append('\n'));
		return text.toString();
	}

	private List<Event> events() {
		return Ledger.read(this.ledger);
	}

	private List<DeadLetterView> deadLetters() {
		return this.redis.list("XRANGE", Workload.DEAD_LETTERS, "-", "+")
			.stream()
			.map((entry) -> DeadLetterView.of((List<?>) entry))
			.toList();
	}

	@Override
	public void close() {
		this.scheduler.shutdownNow();
		this.injector.close();
		this.instances.forEach(Instance::close);
		this.redis.close();
	}

}
