/**
 * Spring Boot auto-configuration of the meters.
 */
@NullMarked
package io.github.redisstreams.autoconfigure.metrics;

import org.jspecify.annotations.NullMarked;
