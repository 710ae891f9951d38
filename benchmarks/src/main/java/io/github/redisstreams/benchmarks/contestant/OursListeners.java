package io.github.redisstreams.benchmarks.contestant;

import java.util.List;
import java.util.Map;

import io.github.redisstreams.annotation.StreamListener;

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

}
