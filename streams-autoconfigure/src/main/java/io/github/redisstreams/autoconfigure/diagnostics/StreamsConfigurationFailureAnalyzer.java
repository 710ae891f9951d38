package io.github.redisstreams.autoconfigure.diagnostics;

import io.github.redisstreams.StreamsConfigurationException;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Shows a {@link StreamsConfigurationException} as a startup failure report.
 */
class StreamsConfigurationFailureAnalyzer extends AbstractFailureAnalyzer<StreamsConfigurationException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, StreamsConfigurationException cause) {
		return new FailureAnalysis(cause.getMessage() + ".", cause.getAction(), cause);
	}

}
