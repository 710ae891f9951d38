/**
 * Endpoints, the registry of listener containers, and the factory that creates them.
 */
@NullMarked
package io.github.redisstreams.config;

import org.jspecify.annotations.NullMarked;
