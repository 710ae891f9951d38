package io.github.redisstreams.sample;

/**
 * What is sent some time after an order.
 *
 * @param orderId the id of the order's entry
 * @param order the order
 */
record Reminder(String orderId, Order order) {

}
