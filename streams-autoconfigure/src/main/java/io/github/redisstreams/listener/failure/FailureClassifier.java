package io.github.redisstreams.listener.failure;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import org.springframework.core.convert.ConversionException;
import org.springframework.messaging.converter.MessageConversionException;
import org.springframework.messaging.handler.invocation.MethodArgumentResolutionException;
import org.springframework.validation.method.MethodValidationException;

/**
 * Tells failures that trying again can mend from those that it cannot. Looks at all
 * causes, so a failure counts the same thrown directly, wrapped, and out of a
 * {@code CompletionException}.
 */
final class FailureClassifier {

	/** An entry that cannot be turned into the arguments of its method never can. */
	private static final List<Class<? extends Throwable>> FATAL = List.of(MessageConversionException.class,
			ConversionException.class, MethodArgumentResolutionException.class, MethodValidationException.class);

	private FailureClassifier() {
	}

	static boolean isRetryable(Throwable failure, RetryOptions options) {
		if (find(failure, options.excludes()) != null) {
			return false;
		}
		if (!options.includes().isEmpty()) {
			return find(failure, options.includes()) != null;
		}
		return find(failure, FATAL) == null;
	}

	static <T extends Throwable> @Nullable T find(Throwable failure, Class<T> type) {
		return type.cast(find(failure, List.of(type)));
	}

	private static @Nullable Throwable find(Throwable failure, List<? extends Class<? extends Throwable>> types) {
		Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
		for (Throwable current = failure; current != null && seen.add(current); current = causeOf(current)) {
			for (Class<? extends Throwable> type : types) {
				if (type.isInstance(current)) {
					return current;
				}
			}
		}
		return null;
	}

	// Whatever an exception does when it is looked at, its entry must be settled
	private static @Nullable Throwable causeOf(Throwable failure) {
		try {
			return failure.getCause();
		}
		catch (RuntimeException | Error ex) {
			return null;
		}
	}

}
