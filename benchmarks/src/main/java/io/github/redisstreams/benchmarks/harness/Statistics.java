package io.github.redisstreams.benchmarks.harness;

import java.util.Arrays;
import java.util.Collection;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * What is said of many figures in one.
 */
public final class Statistics {

	private Statistics() {
	}

	/**
	 * The middle one.
	 * @param values the figures, in any order
	 * @return the median, not a number if there are none
	 */
	public static double median(double... values) {
		return quantile(values, 0.5);
	}

	/**
	 * The middle one.
	 * @param <T> the type of what was measured
	 * @param measured what was measured, in any order
	 * @param figure what of it
	 * @return the median, not a number if nothing was measured
	 */
	public static <T> double median(Collection<T> measured, ToDoubleFunction<? super T> figure) {
		return median(measured.stream().mapToDouble(figure).toArray());
	}

	/**
	 * The figure that a part of them does not exceed.
	 * @param values the figures, in any order
	 * @param part such as 0.99
	 * @return the quantile, not a number if there are no figures
	 */
	public static double quantile(double[] values, double part) {
		if (values.length == 0) {
			return Double.NaN;
		}
		double[] sorted = values.clone();
		Arrays.sort(sorted);
		return sorted[(int) Math.min(sorted.length - 1L, Math.round(part * (sorted.length - 1)))];
	}

	/**
	 * A figure as text, the same in every country.
	 * @param pattern as for {@link String#format}
	 * @param value the figure
	 * @return the text
	 */
	public static String format(String pattern, Object value) {
		return String.format(Locale.ROOT, pattern, value);
	}

}
