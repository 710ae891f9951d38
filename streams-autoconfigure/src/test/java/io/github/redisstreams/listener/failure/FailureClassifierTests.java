package io.github.redisstreams.listener.failure;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.core.convert.ConverterNotFoundException;
import org.springframework.core.convert.TypeDescriptor;
import org.springframework.messaging.converter.MessageConversionException;
import org.springframework.messaging.handler.annotation.support.MethodArgumentTypeMismatchException;
import org.springframework.validation.method.MethodValidationException;
import org.springframework.validation.method.MethodValidationResult;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

class FailureClassifierTests {

	private static RetryOptions including(Class<? extends Throwable> type) {
		return RetryOptions.DEFAULTS.mutate().includes(List.of(type)).build();
	}

	private static RetryOptions excluding(Class<? extends Throwable> type) {
		return RetryOptions.DEFAULTS.mutate().excludes(List.of(type)).build();
	}

	private static boolean isRetryable(Throwable failure, RetryOptions options) {
		return FailureClassifier.isRetryable(failure, options);
	}

	/**
	 * The ways in which the same fault can reach us.
	 */
	private static List<Throwable> guises(Throwable fault) {
		return List.of(fault, new IllegalStateException("wrapped", fault), new CompletionException(fault),
				new ExecutionException(new CompletionException(fault)),
				new CompletionException(new IllegalStateException(new RuntimeException(fault))));
	}

	static Stream<Throwable> fatal() {
		return Stream.of(new MessageConversionException("no JSON"),
				new ConverterNotFoundException(null, TypeDescriptor.valueOf(Duration.class)),
				mock(MethodArgumentTypeMismatchException.class),
				new MethodValidationException(mock(MethodValidationResult.class)));
	}

	@ParameterizedTest
	@MethodSource("fatal")
	@DisplayName("C07: what can never be handled is not retried, thrown directly or as a cause")
	void whatCanNeverBeHandledIsNotRetriedInAnyGuise(Throwable fault) {
		assertThat(guises(fault)).noneMatch((failure) -> isRetryable(failure, RetryOptions.DEFAULTS));
	}

	@Test
	@DisplayName("C07: anything else is retried, thrown directly or as a cause")
	void anythingElseIsRetriedInAnyGuise() {
		for (Throwable fault : List.of(new IOException("down"), new IllegalArgumentException(),
				new NoClassDefFoundError())) {
			assertThat(guises(fault)).allMatch((failure) -> isRetryable(failure, RetryOptions.DEFAULTS));
		}
	}

	@Test
	@DisplayName("C07: includes and excludes find an exception thrown directly and as a cause")
	void includesAndExcludesSeeThroughAllGuises() {
		assertThat(guises(new FileNotFoundException("orders"))).allSatisfy((failure) -> {
			assertThat(isRetryable(failure, including(IOException.class))).isTrue();
			assertThat(isRetryable(failure, excluding(IOException.class))).isFalse();
		});
	}

	@Test
	void withIncludesNothingElseIsRetried() {
		assertThat(isRetryable(new RuntimeException("something else"), including(IOException.class))).isFalse();
	}

	@Test
	void whatIsIncludedIsRetriedEvenIfItWouldCountAsFatal() {
		MessageConversionException fault = new MessageConversionException("schema not there yet");
		assertThat(isRetryable(fault, including(MessageConversionException.class))).isTrue();
	}

	@Test
	void excludesWinOverIncludes() {
		RetryOptions options = RetryOptions.DEFAULTS.mutate()
			.includes(List.of(IOException.class))
			.excludes(List.of(FileNotFoundException.class))
			.build();
		assertThat(isRetryable(new IOException("down"), options)).isTrue();
		assertThat(isRetryable(new FileNotFoundException("orders"), options)).isFalse();
		assertThat(isRetryable(new UncheckedIOException(new FileNotFoundException("orders")), options)).isFalse();
	}

	@Test
	void excludesLeaveOtherFatalKindsFatal() {
		assertThat(isRetryable(new MessageConversionException("no JSON"), excluding(IOException.class))).isFalse();
		assertThat(isRetryable(new RuntimeException(), excluding(IOException.class))).isTrue();
	}

	@Test
	@Timeout(10)
	void aCyclicChainOfCausesEnds() {
		RuntimeException first = new RuntimeException("first");
		RuntimeException second = new RuntimeException("second", first);
		first.initCause(second);
		assertThat(isRetryable(first, RetryOptions.DEFAULTS)).isTrue();
		assertThat(isRetryable(first, including(IOException.class))).isFalse();
		assertThat(FailureClassifier.find(second, DeadLetterException.class)).isNull();
	}

	@Test
	@SuppressWarnings("serial")
	void anExceptionThatCannotTellItsCauseEndsTheChain() {
		RuntimeException failure = new RuntimeException("odd") {

			@Override
			public Throwable getCause() {
				throw new IllegalStateException("no cause to be had");
			}

		};
		assertThat(isRetryable(new CompletionException(failure), RetryOptions.DEFAULTS)).isTrue();
		assertThat(isRetryable(failure, including(IOException.class))).isFalse();
	}

	@Test
	void findsTheOutermostOfItsType() {
		RetryAfterException inner = new RetryAfterException(Duration.ofSeconds(1), "inner");
		RetryAfterException outer = new RetryAfterException(Duration.ofSeconds(2), "outer", inner);
		assertThat(FailureClassifier.find(new CompletionException(outer), RetryAfterException.class)).isSameAs(outer);
	}

}
