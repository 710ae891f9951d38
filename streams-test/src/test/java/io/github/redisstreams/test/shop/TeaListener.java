package io.github.redisstreams.test.shop;

import org.springframework.stereotype.Component;

/**
 * Listens with a method that it inherits.
 */
@Component
public class TeaListener extends StockListener {

}
