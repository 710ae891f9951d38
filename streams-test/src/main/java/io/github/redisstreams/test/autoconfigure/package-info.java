/**
 * Brings listeners, Redis and what looks at streams into tests with Spring Boot.
 */
@NullMarked
package io.github.redisstreams.test.autoconfigure;

import org.jspecify.annotations.NullMarked;
