package io.github.redisstreams.sample;

import java.time.Duration;

import jakarta.validation.Valid;
import jakarta.validation.constraints.DecimalMax;
import jakarta.validation.constraints.DecimalMin;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * What the sample makes up: its orders, the time that handling one takes, and failures.
 *
 * @param generator publishes orders by itself
 * @param handlingTime how long handling an order takes
 * @param failureRate share of the orders, from 0 to 1, whose first attempt fails
 * @param reminderDelay how long after an order to remind of it
 */
@ConfigurationProperties("sample")
@Validated
record SampleProperties(@DefaultValue @Valid Generator generator, @DefaultValue("50ms") Duration handlingTime,
		@DefaultValue("0.02") @DecimalMin("0") @DecimalMax("1") double failureRate,
		@DefaultValue("30s") Duration reminderDelay) {

	/**
	 * Settings of the {@link OrderGenerator}.
	 *
	 * @param enabled whether to publish orders
	 * @param rate how many orders to publish a second
	 */
	record Generator(@DefaultValue("true") boolean enabled, @DefaultValue("4") @Min(1) @Max(1000) int rate) {

	}

}
