package io.github.redisstreams.sample;

import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotBlank;

/**
 * What travels through the stream, as JSON.
 *
 * @param customer who orders
 * @param product what
 * @param quantity how many
 */
record Order(@NotBlank String customer, @NotBlank String product, @Min(1) @Max(1000) int quantity) {

}
