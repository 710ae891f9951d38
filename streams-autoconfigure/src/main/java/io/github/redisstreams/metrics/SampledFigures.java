package io.github.redisstreams.metrics;

import java.util.Map;

/**
 * What was read of a stream and its groups at one time.
 *
 * @param stream of the stream
 * @param groups of its groups, by name
 */
record SampledFigures(StreamReading stream, Map<String, GroupReading> groups) {

}
