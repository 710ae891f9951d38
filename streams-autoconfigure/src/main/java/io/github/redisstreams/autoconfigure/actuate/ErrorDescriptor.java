package io.github.redisstreams.autoconfigure.actuate;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * Why a request was not met.
 *
 * @param error what is wrong, and what would be right
 */
public record ErrorDescriptor(String error) implements OperationResponseBody {

}
