package io.github.redisstreams.publish;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;

import io.github.redisstreams.support.ObserverGuard;
import org.jspecify.annotations.Nullable;

/**
 * What is sent, as all of some observers watch it that may fail, which is no concern of
 * who sends.
 */
final class ObservedSends implements SendObserver {

	private final List<SendObserver> observers;

	ObservedSends(Collection<SendObserver> observers) {
		this.observers = observers.stream().map(ObservedSends::guarded).toList();
	}

	private static SendObserver guarded(SendObserver observer) {
		ObserverGuard guard = new ObserverGuard("StreamTemplate");
		return (stream, entries) -> {
			Send send = guard.call(() -> observer.begin(stream, entries), Send.UNOBSERVED);
			return (send != Send.UNOBSERVED) ? new GuardedSend(send, guard) : send;
		};
	}

	@Override
	public Send begin(String stream, int entries) {
		List<Send> sends = new ArrayList<>(this.observers.size());
		for (SendObserver observer : this.observers) {
			Send send = observer.begin(stream, entries);
			if (send != Send.UNOBSERVED) {
				sends.add(0, send);
			}
		}
		return switch (sends.size()) {
			case 0 -> Send.UNOBSERVED;
			case 1 -> sends.get(0);
			default -> new NestedSends(sends);
		};
	}

	/**
	 * One whose observer may fail.
	 */
	private record GuardedSend(Send send, ObserverGuard guard) implements Send {

		@Override
		public Map<String, ?> complete(Map<String, ?> headers) {
			return this.guard.call(() -> this.send.complete(headers), headers);
		}

		@Override
		public void end(@Nullable Throwable failure) {
			this.guard.run(() -> this.send.end(failure));
		}

		@Override
		public void dropped() {
			this.guard.run(this.send::dropped);
		}

	}

	/**
	 * One that several observe, the innermost first.
	 */
	private record NestedSends(List<Send> sends) implements Send {

		@Override
		public Map<String, ?> complete(Map<String, ?> headers) {
			Map<String, ?> completed = headers;
			for (Send send : this.sends) {
				completed = send.complete(completed);
			}
			return completed;
		}

		@Override
		public void end(@Nullable Throwable failure) {
			this.sends.forEach((send) -> send.end(failure));
		}

		@Override
		public void dropped() {
			this.sends.forEach(Send::dropped);
		}

	}

}
