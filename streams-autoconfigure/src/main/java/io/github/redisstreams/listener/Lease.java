package io.github.redisstreams.listener;

import io.github.redisstreams.redis.EntryId;

/**
 * The claim of this container on one entry, from the moment that it is given the entry
 * until the entry is settled in Redis. Renewed by the {@link LeaseKeeper}.
 */
final class Lease {

	private final EntryId id;

	private volatile long renewedAt = System.nanoTime();

	private volatile boolean lost;

	private volatile boolean bodyGone;

	private volatile boolean settling;

	private volatile long keptUntil = this.renewedAt;

	Lease(EntryId id) {
		this.id = id;
	}

	EntryId id() {
		return this.id;
	}

	long renewedAt() {
		return this.renewedAt;
	}

	void renewed(long at) {
		this.renewedAt = at;
	}

	/**
	 * Whether another consumer, or nobody, holds the entry now.
	 */
	boolean isLost() {
		return this.lost;
	}

	void lose() {
		this.lost = true;
	}

	/**
	 * The entry has been delivered to this consumer again.
	 */
	void regain() {
		this.renewedAt = System.nanoTime();
		this.lost = false;
	}

	/**
	 * Whether the entry is gone from the stream, so that no other consumer can have it.
	 */
	boolean isBodyGone() {
		return this.bodyGone;
	}

	void bodyIsGone() {
		this.bodyGone = true;
	}

	/**
	 * Whether this container is about to take the entry off the pending list itself, so
	 * that not finding it there means nothing.
	 */
	boolean isSettling() {
		return this.settling;
	}

	void settling() {
		this.settling = true;
	}

	/**
	 * Until when the lease is to be kept even if nothing is being done with the entry, by
	 * {@link System#nanoTime()}.
	 */
	long keptUntil() {
		return this.keptUntil;
	}

	void keepUntil(long nanoTime) {
		this.keptUntil = nanoTime;
	}

}
