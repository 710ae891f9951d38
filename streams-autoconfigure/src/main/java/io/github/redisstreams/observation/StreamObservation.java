package io.github.redisstreams.observation;

import io.micrometer.common.docs.KeyName;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import io.micrometer.observation.docs.ObservationDocumentation;

/**
 * The observations that there are.
 */
public enum StreamObservation implements ObservationDocumentation {

	/**
	 * One call of a listener's handler, until what becomes of its entries is decided.
	 */
	LISTENER {

		@Override
		public Class<? extends ObservationConvention<? extends Observation.Context>> getDefaultConvention() {
			return DefaultStreamListenerObservationConvention.class;
		}

		@Override
		public KeyName[] getLowCardinalityKeyNames() {
			return ListenerLowCardinalityKeyNames.values();
		}

		@Override
		public KeyName[] getHighCardinalityKeyNames() {
			return ListenerHighCardinalityKeyNames.values();
		}

	},

	/**
	 * One call of {@code StreamTemplate.send}, {@code sendAsync}, {@code sendAll},
	 * {@code sendAt} or {@code sendAfter}, until Redis has replied.
	 */
	SEND {

		@Override
		public Class<? extends ObservationConvention<? extends Observation.Context>> getDefaultConvention() {
			return DefaultStreamSendObservationConvention.class;
		}

		@Override
		public KeyName[] getLowCardinalityKeyNames() {
			return SendLowCardinalityKeyNames.values();
		}

		@Override
		public KeyName[] getHighCardinalityKeyNames() {
			return SendHighCardinalityKeyNames.values();
		}

	};

	/**
	 * Tags of {@link #LISTENER}, all of which there always are.
	 */
	public enum ListenerLowCardinalityKeyNames implements KeyName {

		/**
		 * The key of the stream.
		 */
		STREAM("stream"),

		/**
		 * The consumer group.
		 */
		GROUP("group"),

		/**
		 * The id of the listener.
		 */
		LISTENER("listener"),

		/**
		 * What becomes of the entries, see {@link ListenerOutcome}.
		 */
		OUTCOME("outcome"),

		/**
		 * The simple name of the exception's class, or {@code none}. In a batch that of
		 * the first entry that failed.
		 */
		EXCEPTION("exception");

		private final String key;

		ListenerLowCardinalityKeyNames(String key) {
			this.key = key;
		}

		@Override
		public String asString() {
			return this.key;
		}

	}

	/**
	 * Tags of the span of {@link #LISTENER}.
	 */
	public enum ListenerHighCardinalityKeyNames implements KeyName {

		/**
		 * The id of the entry. Missing where there are several.
		 */
		MESSAGE_ID("messaging.message.id"),

		/**
		 * How often the entry was delivered, this time included. Missing where there are
		 * several.
		 */
		DELIVERY_COUNT("redis.streams.delivery.count"),

		/**
		 * How many entries the handler was called with. Missing where it is one.
		 */
		MESSAGE_COUNT("messaging.batch.message_count"),

		/**
		 * The consumer that holds the entries.
		 */
		CONSUMER("redis.streams.consumer");

		private final String key;

		ListenerHighCardinalityKeyNames(String key) {
			this.key = key;
		}

		@Override
		public String asString() {
			return this.key;
		}

	}

	/**
	 * Tags of {@link #SEND}, all of which there always are.
	 */
	public enum SendLowCardinalityKeyNames implements KeyName {

		/**
		 * The key of the stream.
		 */
		STREAM("stream"),

		/**
		 * How it went, see {@link SendOutcome}.
		 */
		OUTCOME("outcome"),

		/**
		 * The simple name of the exception's class, or {@code none}.
		 */
		EXCEPTION("exception");

		private final String key;

		SendLowCardinalityKeyNames(String key) {
			this.key = key;
		}

		@Override
		public String asString() {
			return this.key;
		}

	}

	/**
	 * Tags of the span of {@link #SEND}.
	 */
	public enum SendHighCardinalityKeyNames implements KeyName {

		/**
		 * How many entries were sent by one call of {@code sendAll}. Missing where it is
		 * one.
		 */
		MESSAGE_COUNT("messaging.batch.message_count");

		private final String key;

		SendHighCardinalityKeyNames(String key) {
			this.key = key;
		}

		@Override
		public String asString() {
			return this.key;
		}

	}

}
