/**
 * What is measured method by method, with JMH.
 */
@NullMarked
package io.github.redisstreams.benchmarks.micro;

import org.jspecify.annotations.NullMarked;
