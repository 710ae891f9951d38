package io.github.redisstreams.listener;

import java.util.List;

import io.github.redisstreams.support.ObserverGuard;

/**
 * The calls of a handler as an observer watches them that may fail, which is no concern
 * of the handler's.
 */
final class ObservedCalls implements HandlerObserver.Calls {

	private final HandlerObserver.Calls observer;

	private final ObserverGuard guard;

	private ObservedCalls(String listenerId, HandlerObserver.Calls observer) {
		this.observer = observer;
		this.guard = new ObserverGuard("listener '" + listenerId + "'");
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
		HandlerObserver.Call call = this.guard.call(() -> this.observer.begin(deliveries),
				HandlerObserver.Call.UNOBSERVED);
		return (call == HandlerObserver.Call.UNOBSERVED) ? call : () -> this.guard.run(call::end);
	}

}
