package io.github.redisstreams.observation;

import java.util.Iterator;
import java.util.List;

import io.github.redisstreams.listener.Delivery;
import io.github.redisstreams.listener.failure.Outcome;

/**
 * What becomes of the entries that a handler was called with.
 */
public enum ListenerOutcome {

	/**
	 * The handler is not done yet.
	 */
	UNKNOWN("unknown"),

	/**
	 * They are acknowledged.
	 */
	ACKNOWLEDGED("acknowledged"),

	/**
	 * They are to be delivered again to this consumer.
	 */
	RETRIED("retried"),

	/**
	 * They are moved to the dead-letter stream.
	 */
	DEAD_LETTERED("dead-lettered"),

	/**
	 * They stay pending, for the application to decide about later, or for whoever claims
	 * them.
	 */
	LEFT("left"),

	/**
	 * One thing becomes of some of a batch, and another of others.
	 */
	MIXED("mixed");

	private final String value;

	ListenerOutcome(String value) {
		this.value = value;
	}

	/**
	 * The outcome as a tag has it.
	 * @return the tag's value
	 */
	public String value() {
		return this.value;
	}

	static ListenerOutcome of(List<Delivery> deliveries) {
		Iterator<Delivery> all = deliveries.iterator();
		ListenerOutcome outcome = of(all.next().outcome());
		while (all.hasNext()) {
			if (of(all.next().outcome()) != outcome) {
				return MIXED;
			}
		}
		return outcome;
	}

	private static ListenerOutcome of(Outcome outcome) {
		if (outcome instanceof Outcome.Ack) {
			return ACKNOWLEDGED;
		}
		if (outcome instanceof Outcome.Retry) {
			return RETRIED;
		}
		return (outcome instanceof Outcome.DeadLetter) ? DEAD_LETTERED : LEFT;
	}

}
