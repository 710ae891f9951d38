/**
 * Spring Boot auto-configuration of what keeps groups tidy.
 */
@NullMarked
package io.github.redisstreams.autoconfigure.maintenance;

import org.jspecify.annotations.NullMarked;
