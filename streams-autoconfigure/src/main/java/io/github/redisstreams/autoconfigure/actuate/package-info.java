/**
 * Spring Boot auto-configuration of the actuator endpoint.
 */
@NullMarked
package io.github.redisstreams.autoconfigure.actuate;

import org.jspecify.annotations.NullMarked;
