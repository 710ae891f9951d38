/**
 * What every benchmark needs: a server, a process for what is measured, statistics and
 * reports.
 */
@NullMarked
package io.github.redisstreams.benchmarks.harness;

import org.jspecify.annotations.NullMarked;
