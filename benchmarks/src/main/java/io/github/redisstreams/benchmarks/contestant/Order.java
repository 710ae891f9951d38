package io.github.redisstreams.benchmarks.contestant;

/**
 * What entries say.
 *
 * @param customer who
 * @param product what
 * @param quantity how many
 * @param note for whom it may concern
 */
public record Order(String customer, String product, int quantity, String note) {

	/**
	 * An order as JSON.
	 */
	public static final String JSON = "{\"customer\":\"ada\",\"product\":\"tea\",\"quantity\":2,\"note\":\"by noon\"}";

	/**
	 * The same order.
	 */
	public static final Order OBJECT = new Order("ada", "tea", 2, "by noon");

}
