package io.github.redisstreams.listener;

import java.util.List;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * The calls of a handler as an observer watches them that may fail, which is no concern
 * of the handler's.
 */
final class ObservedCalls implements HandlerObserver.Calls {

	private static final Log logger = LogFactory.getLog(ObservedCalls.class);

	private final String listenerId;

	private final HandlerObserver.Calls observer;

	private volatile boolean failed;

	private ObservedCalls(String listenerId, HandlerObserver.Calls observer) {
		this.listenerId = listenerId;
		this.observer = observer;
	}

	/**
	 * Have a listener watched by all of some observers, or by none.
	 */
	static HandlerObserver.Calls by(List<HandlerObserver> observers, String listenerId, ListenerOptions options) {
		return observers
			.stream().<HandlerObserver
					.Calls>map((observer) -> new ObservedCalls(listenerId, observer.observe(listenerId, options)))
			.reduce(ObservedCalls::nested)
			.orElse((deliveries) -> HandlerObserver.Call.UNOBSERVED);
	}

	private static HandlerObserver.Calls nested(HandlerObserver.Calls outer, HandlerObserver.Calls inner) {
		return (deliveries) -> {
			HandlerObserver.Call first = outer.begin(deliveries);
			HandlerObserver.Call second = inner.begin(deliveries);
			if (first == HandlerObserver.Call.UNOBSERVED) {
				return second;
			}
			return (second == HandlerObserver.Call.UNOBSERVED) ? first : () -> {
				second.end();
				first.end();
			};
		};
	}

	@Override
	public HandlerObserver.Call begin(List<Delivery> deliveries) {
		try {
			HandlerObserver.Call call = this.observer.begin(deliveries);
			return (call == HandlerObserver.Call.UNOBSERVED) ? call : () -> end(call);
		}
		catch (RuntimeException | Error ex) {
			log(ex);
			return HandlerObserver.Call.UNOBSERVED;
		}
	}

	private void end(HandlerObserver.Call call) {
		try {
			call.end();
		}
		catch (RuntimeException | Error ex) {
			log(ex);
		}
	}

	private void log(Throwable failure) {
		if (this.failed) {
			logger.debug("Observing listener '" + this.listenerId + "' failed again", failure);
			return;
		}
		this.failed = true;
		logger.warn("Observing listener '" + this.listenerId + "' failed, which does not keep it from its work. "
				+ "Further failures are logged as debug", failure);
	}

}
