package io.github.redisstreams.metrics;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ToDoubleFunction;

/**
 * What was last read of some things. What is too old is as good as unknown.
 *
 * @param <K> identifies a thing
 * @param <V> what is read of it
 */
final class Readings<K, V> {

	private final Map<K, Reading<V>> readings = new ConcurrentHashMap<>();

	private final long lifeNanos;

	Readings(Duration life) {
		this.lifeNanos = life.toNanos();
	}

	void put(K key, V value) {
		this.readings.put(key, new Reading<>(value, System.nanoTime()));
	}

	void forget(K key) {
		this.readings.remove(key);
	}

	/**
	 * What is known of a thing, {@code NaN} if nothing is.
	 */
	double get(K key, ToDoubleFunction<V> value) {
		Reading<V> reading = this.readings.get(key);
		return (reading != null && System.nanoTime() - reading.takenAt < this.lifeNanos)
				? value.applyAsDouble(reading.value) : Double.NaN;
	}

	private record Reading<V>(V value, long takenAt) {

	}

}
