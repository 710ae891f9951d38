/**
 * Spring Boot auto-configuration of the observations.
 */
@NullMarked
package io.github.redisstreams.autoconfigure.observation;

import org.jspecify.annotations.NullMarked;
