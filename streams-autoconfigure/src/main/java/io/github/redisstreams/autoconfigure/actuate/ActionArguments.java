package io.github.redisstreams.autoconfigure.actuate;

import java.util.Map;

/**
 * All that a request has sent: the parameters of its path, body and query.
 *
 * @param values their values by their names
 */
record ActionArguments(Map<String, Object> values) {

}
