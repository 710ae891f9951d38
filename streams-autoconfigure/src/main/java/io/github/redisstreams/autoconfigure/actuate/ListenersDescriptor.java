package io.github.redisstreams.autoconfigure.actuate;

import java.util.Map;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * All listeners of this process.
 *
 * @param listeners what they are and how, by their ids
 */
public record ListenersDescriptor(Map<String, ListenerDescriptor> listeners) implements OperationResponseBody {

}
