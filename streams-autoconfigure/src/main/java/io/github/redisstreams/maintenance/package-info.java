/**
 * What keeps groups tidy and says where the server would lose entries.
 */
@NullMarked
package io.github.redisstreams.maintenance;

import org.jspecify.annotations.NullMarked;
