package io.github.redisstreams.autoconfigure.actuate;

import java.util.Map;

import io.github.redisstreams.listener.ContainerState;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * What came of an action.
 *
 * @param listener the listener's id
 * @param action what was done
 * @param outcome whether it is done
 * @param state the state that the listener is in now
 * @param result what there is to tell of it; {@code null} if nothing is, or not yet
 */
public record ActionDescriptor(String listener, String action, Outcome outcome, ContainerState state,
		@Nullable Map<String, Object> result) implements OperationResponseBody {

	/**
	 * Whether an action is done.
	 */
	public enum Outcome {

		/**
		 * It is done.
		 */
		DONE,

		/**
		 * It takes longer than the endpoint waits, and goes on.
		 */
		UNDER_WAY

	}

}
