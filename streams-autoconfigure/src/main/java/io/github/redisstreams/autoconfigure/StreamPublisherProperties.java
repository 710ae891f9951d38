package io.github.redisstreams.autoconfigure;

import java.time.Duration;

import io.github.redisstreams.redis.TrimMode;
import org.jspecify.annotations.Nullable;

/**
 * Settings for writing to a stream. What is not set is left to the next lower level.
 */
public class StreamPublisherProperties {

	/**
	 * About how many entries a stream may have, 0 for any number.
	 */
	private @Nullable Long maxLength;

	/**
	 * What may be dropped to keep to that: finished (what every group has finished),
	 * strict (anything) or none (nothing).
	 */
	private @Nullable TrimMode trim;

	/**
	 * How long to keep entries, 0 for ever. Older ones are dropped as far as trim allows.
	 */
	private @Nullable Duration retention;

	private final Tracking tracking = new Tracking();

	private final Durability durability = new Durability();

	public @Nullable Long getMaxLength() {
		return this.maxLength;
	}

	public void setMaxLength(@Nullable Long maxLength) {
		this.maxLength = maxLength;
	}

	public @Nullable TrimMode getTrim() {
		return this.trim;
	}

	public void setTrim(@Nullable TrimMode trim) {
		this.trim = trim;
	}

	public @Nullable Duration getRetention() {
		return this.retention;
	}

	public void setRetention(@Nullable Duration retention) {
		this.retention = retention;
	}

	public Tracking getTracking() {
		return this.tracking;
	}

	public Durability getDurability() {
		return this.durability;
	}

	/**
	 * Records of tasks.
	 */
	public static class Tracking {

		/**
		 * Whether to keep a record of what becomes of each entry.
		 */
		private @Nullable Boolean enabled;

		/**
		 * How long to keep the record of an entry that is done.
		 */
		private @Nullable Duration retention;

		public @Nullable Boolean getEnabled() {
			return this.enabled;
		}

		public void setEnabled(@Nullable Boolean enabled) {
			this.enabled = enabled;
		}

		public @Nullable Duration getRetention() {
			return this.retention;
		}

		public void setRetention(@Nullable Duration retention) {
			this.retention = retention;
		}

	}

	/**
	 * Where an entry is to be before it counts as sent.
	 */
	public static class Durability {

		/**
		 * How many replicas must have an entry (WAIT).
		 */
		private @Nullable Integer replicas;

		/**
		 * Whether the master, and as many replicas, must have it on disk (WAITAOF, Redis
		 * 7.2 and later).
		 */
		private @Nullable Boolean fsync;

		/**
		 * How long to wait for that.
		 */
		private @Nullable Duration timeout;

		public @Nullable Integer getReplicas() {
			return this.replicas;
		}

		public void setReplicas(@Nullable Integer replicas) {
			this.replicas = replicas;
		}

		public @Nullable Boolean getFsync() {
			return this.fsync;
		}

		public void setFsync(@Nullable Boolean fsync) {
			this.fsync = fsync;
		}

		public @Nullable Duration getTimeout() {
			return this.timeout;
		}

		public void setTimeout(@Nullable Duration timeout) {
			this.timeout = timeout;
		}

	}

}
