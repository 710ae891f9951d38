/**
 * Spring Boot auto-configuration of listeners and publisher.
 */
@NullMarked
package io.github.redisstreams.autoconfigure;

import org.jspecify.annotations.NullMarked;
