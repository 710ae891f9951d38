package io.github.redisstreams.observation;

import io.micrometer.common.KeyValue;
import org.jspecify.annotations.Nullable;

/**
 * The value of the tag that names an exception.
 */
final class ExceptionName {

	private ExceptionName() {
	}

	static String of(@Nullable Throwable failure) {
		if (failure == null) {
			return KeyValue.NONE_VALUE;
		}
		String name = failure.getClass().getSimpleName();
		// Anonymous classes have none
		return name.isEmpty() ? failure.getClass().getName() : name;
	}

}
