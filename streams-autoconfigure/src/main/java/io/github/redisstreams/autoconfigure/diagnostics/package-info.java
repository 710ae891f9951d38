/**
 * Startup failure reports.
 */
@NullMarked
package io.github.redisstreams.autoconfigure.diagnostics;

import org.jspecify.annotations.NullMarked;
