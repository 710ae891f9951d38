package io.github.redisstreams.benchmarks.harness;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Lines up columns.
 */
public final class Table {

	private final List<List<String>> rows = new ArrayList<>();

	/**
	 * Create a new table.
	 * @param heads the names of the columns
	 */
	public Table(String... heads) {
		this.rows.add(List.of(heads));
	}

	/**
	 * Add a row.
	 * @param cells one for each column
	 * @return this table
	 */
	public Table row(String... cells) {
		this.rows.add(List.of(cells));
		return this;
	}

	@Override
	public String toString() {
		List<Integer> widths = IntStream.range(0, this.rows.get(0).size())
			.mapToObj((column) -> this.rows.stream().mapToInt((row) -> row.get(column).length()).max().orElse(0))
			.toList();
		List<String> lines = this.rows.stream().map((row) -> line(row, widths)).collect(Collectors.toList());
		lines.add(1, widths.stream().map("-"::repeat).collect(Collectors.joining(" | ", "| ", " |")));
		return String.join(System.lineSeparator(), lines);
	}

	private static String line(List<String> row, List<Integer> widths) {
		return IntStream.range(0, row.size())
			.mapToObj((column) -> row.get(column) + " ".repeat(widths.get(column) - row.get(column).length()))
			.collect(Collectors.joining(" | ", "| ", " |"));
	}

}
