package io.github.redisstreams.metrics;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Says once when figures of a stream get unknown, and once when they are known again,
 * with one line for all streams that have the same problem.
 */
final class SamplingProblems {

	private static final int MOST_NAMES = 3;

	private static final Log logger = LogFactory.getLog(StreamSampler.class);

	private Set<String> failing = Set.of();

	/**
	 * Tell what has changed.
	 * @param problems what could not be told of a stream, by its key
	 */
	void tell(Map<String, SamplingProblem> problems) {
		Map<String, List<String>> streams = new LinkedHashMap<>();
		Map<String, String> texts = new LinkedHashMap<>();
		problems.forEach((stream, problem) -> {
			if (!this.failing.contains(stream)) {
				streams.computeIfAbsent(problem.kind(), (kind) -> new ArrayList<>()).add(stream);
				texts.putIfAbsent(problem.kind(), problem.text());
			}
		});
		streams.forEach((kind, names) -> logger
			.info("Figures of " + describe(names) + " are unknown for now: " + texts.get(kind)));
		Set<String> known = new HashSet<>(this.failing);
		known.removeAll(problems.keySet());
		if (!known.isEmpty()) {
			logger.info("Figures of " + describe(known) + " are known again");
		}
		this.failing = Set.copyOf(problems.keySet());
	}

	private static String describe(Collection<String> streams) {
		String names = streams.stream()
			.limit(MOST_NAMES)
			.map((stream) -> "'" + stream + "'")
			.collect(Collectors.joining(", "));
		if (streams.size() == 1) {
			return "stream " + names;
		}
		return streams.size() + " streams (" + names + ((streams.size() > MOST_NAMES) ? ", ..." : "") + ")";
	}

}
