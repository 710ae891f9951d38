package io.github.redisstreams.listener;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;

import io.github.redisstreams.test.WorkerProcess;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A container in a process of its own, which says what it does.
 */
final class CaseWorker {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private CaseWorker() {
	}

	static WorkerProcess start(int port, String consumer, String behaviour, Duration minIdle, int concurrency) {
		return WorkerProcess.start(CaseWorker.class, Integer.toString(port), consumer, behaviour,
				Long.toString(minIdle.toMillis()), Integer.toString(concurrency));
	}

	static List<String> handling(WorkerProcess worker) {
		return worker.lines()
			.stream()
			.filter((line) -> line.startsWith("handling "))
			.map((line) -> line.substring("handling ".length()))
			.toList();
	}

	static void awaitHandling(WorkerProcess worker, int count) {
		await().atMost(PATIENCE).untilAsserted(() -> assertThat(handling(worker)).hasSize(count));
	}

	@SuppressWarnings("try")
	public static void main(String[] args) throws Exception {
		try (Containers containers = new Containers(Integer.parseInt(args[0]))) {
			StreamListenerContainer container = containers.start(args[1],
					(options) -> options.minIdle(Duration.ofMillis(Long.parseLong(args[3])))
						.claimInterval(Duration.ofMillis(100))
						.concurrency(Integer.parseInt(args[4]))
						.maxDeliveries(args[2].equals("fail") ? 3 : 5)
						.retry((retry) -> retry.initialInterval(Duration.ofMillis(5)))
						.circuit((circuit) -> circuit.enabled(false)),
					(deliveries) -> handle(args[2], deliveries.get(0)));
			System.out.println("started");
			ContainerCounters counters = container.getCounters();
			await().forever().until(() -> counters.leasesLost() > 0 && container.getInFlight() == 0);
			System.out.println("idle: " + container.getInFlight() + " in flight, " + counters.leasesLost()
					+ " leases lost, " + counters.retried() + " retried, " + counters.claimed() + " claimed");
			new CountDownLatch(1).await();
		}
	}

	private static void handle(String behaviour, Delivery delivery) throws Exception {
		System.out.println("handling " + delivery.entry().id());
		switch (behaviour) {
			case "hang" -> new CountDownLatch(1).await();
			case "fail" -> throw new Failed();
			case "until-lost" -> {
				await().forever().until(delivery::isLeaseLost);
				System.out.println("lost " + delivery.entry().id());
				throw new Failed();
			}
			case "halt" -> {
				if (delivery.entry().value("halt") != null) {
					Runtime.getRuntime().halt(1);
				}
			}
			default -> throw new IllegalArgumentException(behaviour);
		}
	}

	/**
	 * A failure that is cheap to log.
	 */
	@SuppressWarnings("serial")
	static final class Failed extends RuntimeException {

		Failed() {
			super("failed by the test", null, false, false);
		}

	}

}
