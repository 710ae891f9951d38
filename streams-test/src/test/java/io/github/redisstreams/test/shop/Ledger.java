package io.github.redisstreams.test.shop;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import org.springframework.stereotype.Service;

/**
 * What a listener needs, and no listener itself.
 */
@Service
public class Ledger {

	private final List<Order> booked = new CopyOnWriteArrayList<>();

	public void book(Order order) {
		this.booked.add(order);
	}

	public List<Order> booked() {
		return this.booked;
	}

}
