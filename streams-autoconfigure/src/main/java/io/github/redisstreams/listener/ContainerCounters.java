package io.github.redisstreams.listener;

import java.util.concurrent.atomic.LongAdder;

/**
 * What a container has done since it was created, over all its starts and stops. Numbers
 * only grow.
 */
public final class ContainerCounters {

	final LongAdder claimed = new LongAdder();

	final LongAdder retried = new LongAdder();

	final LongAdder acknowledged = new LongAdder();

	final LongAdder deadLettered = new LongAdder();

	final LongAdder deadLetterFailures = new LongAdder();

	final LongAdder deadLettersDropped = new LongAdder();

	final LongAdder trimmedPending = new LongAdder();

	final LongAdder leasesLost = new LongAdder();

	final LongAdder groupsRecreated = new LongAdder();

	final LongAdder suspensions = new LongAdder();

	ContainerCounters() {
	}

	/**
	 * Entries taken over because they had been pending for {@code min-idle}.
	 * @return the number of entries
	 */
	public long claimed() {
		return this.claimed.sum();
	}

	/**
	 * Entries delivered again to this container after a failure or a lost reply.
	 * @return the number of deliveries
	 */
	public long retried() {
		return this.retried.sum();
	}

	/**
	 * Entries acknowledged, without those moved to the dead letters.
	 * @return the number of entries
	 */
	public long acknowledged() {
		return this.acknowledged.sum();
	}

	/**
	 * Entries moved to the dead letters.
	 * @return the number of entries
	 */
	public long deadLettered() {
		return this.deadLettered.sum();
	}

	/**
	 * Attempts to move an entry to the dead letters that Redis refused. The entry stays
	 * pending and is tried again.
	 * @return the number of attempts
	 */
	public long deadLetterFailures() {
		return this.deadLetterFailures.sum();
	}

	/**
	 * Older dead letters lost to the bound of the dead-letter stream.
	 * @return the number of dead letters
	 */
	public long deadLettersDropped() {
		return this.deadLettersDropped.sum();
	}

	/**
	 * Pending entries cleared because they had been trimmed or deleted from the stream.
	 * @return the number of entries
	 */
	public long trimmedPending() {
		return this.trimmedPending.sum();
	}

	/**
	 * Entries that another consumer took over while they were held here.
	 * @return the number of entries
	 */
	public long leasesLost() {
		return this.leasesLost.sum();
	}

	/**
	 * How often the group had to be created again after it had vanished.
	 * @return the number of times
	 */
	public long groupsRecreated() {
		return this.groupsRecreated.sum();
	}

	/**
	 * How often the container was suspended because nearly everything failed.
	 * @return the number of times
	 */
	public long suspensions() {
		return this.suspensions.sum();
	}

}
