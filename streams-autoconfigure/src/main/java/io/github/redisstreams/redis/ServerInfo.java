package io.github.redisstreams.redis;

import java.util.Set;

/**
 * What the server is and can do, asked once with {@code INFO server} and {@code COMMAND}.
 *
 * @param product {@code redis} or {@code valkey}
 * @param version the product's own version, or {@code unknown} where the user may not ask
 * @param capabilities what the server has beyond Redis 6.2
 */
public record ServerInfo(String product, String version, Set<Capability> capabilities) {

	/**
	 * Whether the server has the given capability.
	 * @param capability what to look for
	 * @return whether it is there
	 */
	public boolean has(Capability capability) {
		return this.capabilities.contains(capability);
	}

	/**
	 * Whether {@code XINFO GROUPS} may tell too large a lag for good, once entries were
	 * trimmed that the group had still to be given.
	 */
	boolean mayOverstateLag() {
		return this.version.startsWith("7.") || this.version.equals("unknown")
				|| (this.product.equals("valkey") && this.version.startsWith("8.0."));
	}

	@Override
	public String toString() {
		return this.product + " " + this.version;
	}

	/**
	 * Commands and options that only some servers have.
	 */
	public enum Capability {

		/**
		 * {@code XACKDEL}, Redis 8.2 and later.
		 */
		ACK_AND_DELETE,

		/**
		 * {@code XREADGROUP ... CLAIM}, Redis 8.4 and later.
		 */
		READ_AND_CLAIM,

		/**
		 * {@code XTRIM ... ACKED}, Redis 8.2 and later.
		 */
		TRIM_ACKNOWLEDGED,

		/**
		 * {@code XADD ... IDMP}, Redis 8.6 and later.
		 */
		IDEMPOTENT_ADD,

		/**
		 * {@code WAITAOF}, Redis 7.2 and later.
		 */
		WAIT_FOR_FSYNC

	}

}
