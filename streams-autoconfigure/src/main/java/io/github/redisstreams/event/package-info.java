/**
 * What happens to listeners, as events of Spring.
 */
@NullMarked
package io.github.redisstreams.event;

import org.jspecify.annotations.NullMarked;
