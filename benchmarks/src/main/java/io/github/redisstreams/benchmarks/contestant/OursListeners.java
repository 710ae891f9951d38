package io.github.redisstreams.benchmarks.contestant;

import java.util.List;
import java.util.Map;

import io.github.redisstreams.annotation.StreamListener;
import io.github.redisstreams.config.StreamListenerConfigurer;
import io.github.redisstreams.config.StreamListenerEndpoint;
import io.github.redisstreams.config.StreamListenerRegistrar;

/**
 * Listeners as an application has them.
 */
final class OursListeners {

	private OursListeners() {
	}

	/**
	 * Takes the fields of an entry.
	 */
	static final class OfMap {

		private final Probe probe;

		private final int instance;

		OfMap(Probe probe, int instance) {
			this.probe = probe;
			this.instance = instance;
		}

		@StreamListener("work")
		void handle(Map<String, String> fields) {
			this.probe.handle(this.instance, fields.get(Job.SENT));
		}

	}

	/**
	 * Takes the payload of an entry.
	 */
	static final class OfRecord {

		private final Probe probe;

		private final int instance;

		OfRecord(Probe probe, int instance) {
			this.probe = probe;
			this.instance = instance;
		}

		@StreamListener("work")
		void handle(Order order) {
			this.probe.handle(this.instance, null);
		}

	}

	/**
	 * Takes the fields of many entries.
	 */
	static final class OfBatch {

		private final Probe probe;

		private final int instance;

		OfBatch(Probe probe, int instance) {
			this.probe = probe;
			this.instance = instance;
		}

		@StreamListener("work")
		void handle(List<Map<String, String>> entries) {
			entries.forEach((fields) -> this.probe.handle(this.instance, fields.get(Job.SENT)));
		}

	}

	/**
	 * One for each stream of a job but the first.
	 */
	static final class OfFurtherStreams implements StreamListenerConfigurer {

		private final Job job;

		private final Probe probe;

		private final int instance;

		OfFurtherStreams(Job job, Probe probe, int instance) {
			this.job = job;
			this.probe = probe;
			this.instance = instance;
		}

		@Override
		public void registerEndpoints(StreamListenerRegistrar registrar) {
			for (int i = 1; i < this.job.streams(); i++) {
				registrar.register(StreamListenerEndpoint.of(this.job.stream(i),
						(deliveries) -> this.probe.handle(this.instance, null)));
			}
		}

	}

}
