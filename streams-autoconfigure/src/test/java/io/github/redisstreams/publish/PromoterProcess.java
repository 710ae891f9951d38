package io.github.redisstreams.publish;

import java.time.Duration;
import java.util.Collection;
import java.util.Set;
import java.util.concurrent.CountDownLatch;

import io.github.redisstreams.redis.LettuceStreamCommands;
import io.github.redisstreams.test.LettuceFactories;
import io.github.redisstreams.test.WorkerProcess;

/**
 * A process that does nothing but move the scheduled entries of one stream, and says so
 * whenever it has moved some.
 */
final class PromoterProcess {

	private PromoterProcess() {
	}

	static WorkerProcess start(int port, String stream) {
		return WorkerProcess.start(PromoterProcess.class, Integer.toString(port), stream);
	}

	@SuppressWarnings("try")
	public static void main(String[] args) throws Exception {
		try (LettuceFactories factories = new LettuceFactories();
				LettuceStreamCommands commands = new LettuceStreamCommands(factories.to(Integer.parseInt(args[0])))) {
			PublishEvents events = new PublishEvents() {

				@Override
				public void promoted(String stream, Collection<Duration> lateness) {
					System.out.println("moved " + lateness.size());
				}

			};
			new DelayedPromoter(commands, PublisherSettings.DEFAULTS, () -> Set.of(args[1]), events, 0).start();
			new CountDownLatch(1).await();
		}
	}

}
