package io.github.redisstreams.metrics;

/**
 * What is known of a group; {@code NaN} for what is not.
 *
 * @param lag how many entries it has still to be given
 * @param pending how many were delivered and are not yet acknowledged
 * @param consumers how many consumers it has
 * @param oldestPending the age of the first pending entry in seconds, 0 if there is none
 * @param oldestUndelivered the age of the first undelivered entry in seconds, 0 if there
 * is none
 */
record GroupSample(double lag, double pending, double consumers, double oldestPending, double oldestUndelivered) {

}
