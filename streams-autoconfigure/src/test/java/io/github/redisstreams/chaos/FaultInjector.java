package io.github.redisstreams.chaos;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.redisstreams.chaos.Fault.Kind;
import io.github.redisstreams.chaos.Fault.Target;
import io.github.redisstreams.test.RedisServer;
import io.github.redisstreams.test.TcpProxy;

/**
 * Does something bad every now and then, one thing to one victim at a time, but to
 * several victims at once. All kinds come equally often. What is planned depends on the
 * seed alone; what hits nobody, since all are busy with other faults, is left out.
 */
final class FaultInjector implements AutoCloseable {

	private static final int SHORTEST_GAP_MILLIS = 300;

	private static final int LONGEST_GAP_MILLIS = 1200;

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private final RedisServer redis;

	private final List<Instance> instances;

	private final Set<Kind> kinds;

	private final Random random;

	private final List<Kind> deck = new ArrayList<>();

	private final List<Fault> faults = Collections.synchronizedList(new ArrayList<>());

	private final List<String> surprises = Collections.synchronizedList(new ArrayList<>());

	private final AtomicBoolean redisBusy = new AtomicBoolean();

	private final ScheduledExecutorService scheduler = Executors.newScheduledThreadPool(2);

	/** For what takes its time. */
	private final ExecutorService hands = Executors.newCachedThreadPool();

	private final List<CompletableFuture<Void>> underWay = Collections.synchronizedList(new ArrayList<>());

	private final CompletableFuture<Void> finished = new CompletableFuture<>();

	private long end;

	FaultInjector(RedisServer redis, List<Instance> instances, Set<Kind> kinds, long seed) {
		this.kinds = kinds;
		this.redis = redis;
		this.instances = instances;
		this.random = new Random(seed);
	}

	/**
	 * Begin, and go on for a while.
	 * @return completed when all faults are over and all processes run
	 */
	CompletableFuture<Void> start(Duration time) {
		this.end = System.nanoTime() + time.toNanos();
		scheduleNext();
		return this.finished;
	}

	List<Fault> faults() {
		synchronized (this.faults) {
			return List.copyOf(this.faults);
		}
	}

	/**
	 * What the processes did that nobody has done to them.
	 */
	List<String> surprises() {
		synchronized (this.surprises) {
			return List.copyOf(this.surprises);
		}
	}

	private void scheduleNext() {
		int gap = SHORTEST_GAP_MILLIS + this.random.nextInt(LONGEST_GAP_MILLIS - SHORTEST_GAP_MILLIS);
		this.scheduler.schedule(this::next, gap, TimeUnit.MILLISECONDS);
	}

	private void next() {
		if (System.nanoTime() - this.end > 0) {
			CompletableFuture.allOf(this.underWay.toArray(CompletableFuture[]::new))
				.whenComplete((none, failure) -> this.finished.complete(null));
			return;
		}
		if (this.deck.isEmpty()) {
			this.deck.addAll(this.kinds);
			Collections.shuffle(this.deck, this.random);
		}
		Kind kind = this.deck.remove(this.deck.size() - 1);
		int victim = this.random.nextInt(this.instances.size());
		// What takes some time takes between 0.3 and 2 times min-idle
		double length = this.random.nextDouble();
		Duration time = Duration.ofMillis((long) (Workload.MIN_IDLE.toMillis() * (0.3 + 1.7 * length)));
		begin(kind, victim, time, new Random(this.random.nextLong()));
		scheduleNext();
	}

	private void begin(Kind kind, int wanted, Duration time, Random random) {
		if (kind.target() == Target.REDIS) {
			begin(kind, Fault.ALL, this.redisBusy, () -> hitRedis(kind, time, random));
			return;
		}
		for (int i = 0; i < this.instances.size(); i++) {
			Instance instance = this.instances.get((wanted + i) % this.instances.size());
			Effect effect = (kind.target() == Target.NETWORK) ? () -> hitNetwork(kind, instance.network(), time, random)
					: () -> hitProcess(kind, instance, time);
			if (begin(kind, instance.index(), instance.busy(kind.target()), effect)) {
				return;
			}
		}
	}

	private boolean begin(Kind kind, int victim, AtomicBoolean busy, Effect effect) {
		if (!busy.compareAndSet(false, true)) {
			return false;
		}
		long from = System.currentTimeMillis();
		this.underWay.add(CompletableFuture.runAsync(() -> {
			try {
				effect.happen();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
			catch (RuntimeException ex) {
				this.surprises.add(kind + ": " + ex);
			}
			finally {
				this.faults.add(new Fault(kind, victim, from, System.currentTimeMillis()));
				busy.set(false);
			}
		}, this.hands));
		return true;
	}

	private void hitRedis(Kind kind, Duration time, Random random) throws InterruptedException {
		switch (kind) {
			case CLIENT_KILL -> this.redis.clients()
				.stream()
				.filter((client) -> random.nextBoolean())
				.map((client) -> client.substring("id=".length(), client.indexOf(' ')))
				.forEach((id) -> this.redis.command("CLIENT", "KILL", "ID", id));
			case REDIS_PAUSE -> {
				this.redis.command("CLIENT", "PAUSE", Long.toString(time.toMillis()), "ALL");
				last(time);
			}
			default -> {
				if (kind == Kind.REDIS_KILL) {
					this.redis.kill();
				}
				else {
					this.redis.stop();
				}
				last(time.dividedBy(4));
				this.redis.start();
			}
		}
	}

	private void hitNetwork(Kind kind, TcpProxy network, Duration time, Random random) throws InterruptedException {
		switch (kind) {
			case CUT -> network.cutConnections();
			case RESET -> network.resetConnections();
			case DELAY -> {
				network.delayReplies(Duration.ofMillis(20 + random.nextInt(600)));
				last(time);
				network.heal();
			}
			case FORGET -> {
				network.silenceConnections();
				last(time);
			}
			default -> {
				switch (kind) {
					case SWALLOW_REQUESTS -> network.swallowRequests();
					case SWALLOW_REPLIES -> network.swallowReplies();
					default -> {
						network.refuseConnections();
						network.cutConnections();
					}
				}
				last(time);
				// A stream of bytes with a hole never goes on
				network.silenceConnections();
				network.cutConnections();
				network.heal();
			}
		}
	}

	private void hitProcess(Kind kind, Instance instance, Duration time) throws InterruptedException {
		if (!instance.process().isAlive()) {
			this.surprises.add("The process of instance " + instance.index() + " has ended by itself");
		}
		switch (kind) {
			case PAUSE -> {
				instance.process().pause();
				last(time.plus(Workload.MIN_IDLE));
				instance.process().resume();
			}
			case STOP -> {
				instance.stop().ifPresent(this.surprises::add);
				restart(instance);
			}
			default -> {
				instance.process().kill();
				last(time.minus(Workload.MIN_IDLE.dividedBy(4)));
				if (kind == Kind.KILL_AND_RENAME) {
					instance.rename();
				}
				restart(instance);
			}
		}
	}

	private static void restart(Instance instance) throws InterruptedException {
		instance.start();
		instance.awaitReading();
	}

	private void last(Duration time) throws InterruptedException {
		CountDownLatch over = new CountDownLatch(1);
		this.scheduler.schedule(over::countDown, time.toMillis(), TimeUnit.MILLISECONDS);
		over.await();
	}

	/**
	 * Begin nothing any more, and wait until nothing can start a process.
	 */
	@Override
	public void close() {
		this.scheduler.shutdownNow();
		this.hands.shutdownNow();
		try {
			this.hands.awaitTermination(PATIENCE.toSeconds(), TimeUnit.SECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * What happens to the victim, from beginning to end.
	 */
	private interface Effect {

		void happen() throws InterruptedException;

	}

}
