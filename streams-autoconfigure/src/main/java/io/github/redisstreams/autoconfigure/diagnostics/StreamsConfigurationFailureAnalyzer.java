package io.github.redisstreams.autoconfigure.diagnostics;

import io.github.redisstreams.StreamsConfigurationException;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Shows a {@link StreamsConfigurationException} as a startup failure report.
 */
class StreamsConfigurationFailureAnalyzer extends AbstractFailureAnalyzer<StreamsConfigurationException> {

	private static String sentence(@Nullable String text) {
		return (text == null || text.endsWith(".")) ? String.valueOf(text) : text + ".";
	}

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, StreamsConfigurationException cause) {
		return new FailureAnalysis(sentence(cause.getMessage()), cause.getAction(), cause);
	}

}
