/**
 * Annotations that turn methods into stream listeners, and what reads them.
 */
@NullMarked
package io.github.redisstreams.annotation;

import org.jspecify.annotations.NullMarked;
