package io.github.redisstreams.test.shop;

import io.github.redisstreams.annotation.StreamListener;

/**
 * Has a listener method that components inherit.
 */
abstract class StockListener {

	@StreamListener("stock")
	@StreamListener(id = "audit", value = "stock", group = "audit")
	void handle(String article) {
	}

}
