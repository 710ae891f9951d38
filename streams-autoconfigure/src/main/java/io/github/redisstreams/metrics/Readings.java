package io.github.redisstreams.metrics;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

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

	void forgetIf(Predicate<K> condition) {
		this.readings.keySet().removeIf(condition);
	}

	/**
	 * What is known of a thing, {@code null} if nothing is.
	 */
	@Nullable V get(K key) {
		Reading<V> reading = this.readings.get(key);
		return (reading != null && System.nanoTime() - reading.takenAt < this.lifeNanos) ? reading.value : null;
	}

	private record Reading<V>(V value, long takenAt) {

	}

}
