/**
 * Spring Boot auto-configuration of health.
 */
@NullMarked
package io.github.redisstreams.autoconfigure.health;

import org.jspecify.annotations.NullMarked;
