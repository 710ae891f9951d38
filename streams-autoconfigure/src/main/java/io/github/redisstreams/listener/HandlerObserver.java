package io.github.redisstreams.listener;

import java.util.List;

/**
 * Watches handlers at work, for meters and traces. What it throws is logged and changes
 * nothing about the entries.
 */
@FunctionalInterface
public interface HandlerObserver {

	/**
	 * Watch a listener. Called once for each, when its container is created.
	 * @param listenerId the listener's id
	 * @param options how it reads
	 * @return is told of each call of its handler
	 */
	Calls observe(String listenerId, ListenerOptions options);

	/**
	 * Is told of the calls of one listener's handler, from as many threads at once as the
	 * handler is called by.
	 */
	@FunctionalInterface
	interface Calls {

		/**
		 * The handler is about to be called, on this thread.
		 * @param deliveries what with
		 * @return is told of the end of the call
		 */
		Call begin(List<Delivery> deliveries);

	}

	/**
	 * One call of a handler.
	 */
	@FunctionalInterface
	interface Call {

		/**
		 * For who does not want to know how it ends.
		 */
		Call UNOBSERVED = () -> {
		};

		/**
		 * The handler is done, asynchronous ones included, and what becomes of each entry
		 * is decided. Called on the thread that it began on.
		 * @see Delivery#outcome()
		 * @see Delivery#failure()
		 */
		void end();

	}

}
