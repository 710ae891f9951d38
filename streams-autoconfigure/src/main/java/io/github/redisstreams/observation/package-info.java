/**
 * Micrometer observations of what handlers do and of what is sent, and the trace context
 * that travels in the fields of entries.
 */
@NullMarked
package io.github.redisstreams.observation;

import org.jspecify.annotations.NullMarked;
