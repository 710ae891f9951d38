package io.github.redisstreams.benchmarks.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * The results of one benchmark: printed as tables, and written as JSON to
 * {@code target/benchmark-<name>.json}, with the machine that they are from.
 */
public final class Report {

	private final String name;

	private final Map<String, Object> content = new LinkedHashMap<>();

	private final Map<String, List<Map<String, Object>>> tables = new LinkedHashMap<>();

	private final Map<String, Map<String, String>> formats = new LinkedHashMap<>();

	/**
	 * Create a new report.
	 * @param name the benchmark's name
	 * @param server the version of the server
	 */
	public Report(String name, String server) {
		this.name = name;
		this.content.put("benchmark", name);
		this.content.put("at", Instant.now().toString());
		this.content.put("machine",
				Map.of("processors", Runtime.getRuntime().availableProcessors(), "os",
						System.getProperty("os.name") + " " + System.getProperty("os.version"), "jvm",
						System.getProperty("java.vm.name") + " " + System.getProperty("java.runtime.version"), "server",
						server));
	}

	/**
	 * Begin a row of a table.
	 * @param table the title of the table
	 * @return the row
	 */
	public Row row(String table) {
		Map<String, Object> values = new LinkedHashMap<>();
		this.tables.computeIfAbsent(table, (title) -> new ArrayList<>()).add(values);
		return new Row(values, this.formats.computeIfAbsent(table, (title) -> new LinkedHashMap<>()));
	}

	/**
	 * Print the tables and write the file.
	 */
	public void publish() {
		this.tables.forEach((title, rows) -> System.out.println("\n" + title + "\n\n" + table(title, rows)));
		this.content.put("results", this.tables);
		Path file = Path.of(System.getProperty("benchmark.output", "target"), "benchmark-" + this.name + ".json");
		try {
			Files.createDirectories(file.toAbsolutePath().getParent());
			JsonMapper json = JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();
			Files.write(file, json.writeValueAsBytes(this.content));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		System.out.println("\nAlso in " + file);
	}

	private Table table(String title, List<Map<String, Object>> rows) {
		Map<String, String> formats = this.formats.getOrDefault(title, Map.of());
		Table table = new Table(formats.keySet().toArray(String[]::new));
		rows.forEach((row) -> table.row(formats.entrySet()
			.stream()
			.map((column) -> cell(column.getValue(), row.get(column.getKey())))
			.toArray(String[]::new)));
		return table;
	}

	private static String cell(String format, @Nullable Object value) {
		if (value == null || (value instanceof Double number && number.isNaN())) {
			return "-";
		}
		return (value instanceof Double) ? Statistics.format(format, value) : String.valueOf(value);
	}

	/**
	 * A row that is being filled.
	 */
	public static final class Row {

		private final Map<String, Object> values;

		private final Map<String, String> formats;

		private Row(Map<String, Object> values, Map<String, String> formats) {
			this.values = values;
			this.formats = formats;
		}

		/**
		 * Add what tells the row from others.
		 * @param column the column's name
		 * @param text the text
		 * @return this row
		 */
		public Row label(String column, String text) {
			this.formats.putIfAbsent(column, "%s");
			this.values.put(column, text);
			return this;
		}

		/**
		 * Add a figure.
		 * @param column the column's name, with the unit
		 * @param format how to print it, as for {@link String#format}
		 * @param value the figure
		 * @return this row
		 */
		public Row figure(String column, String format, double value) {
			this.formats.putIfAbsent(column, format);
			this.values.put(column, value);
			return this;
		}

		/**
		 * Add what entries cost beside time.
		 * @param rounds the rounds, of which the medians count
		 * @return this row
		 */
		public Row costs(List<Cost> rounds) {
			return figure("JVM CPU us/entry", "%.2f", Statistics.median(rounds, Cost::jvmCpuMicros))
				.figure("bytes/entry", "%,.0f", Statistics.median(rounds, Cost::allocatedBytes))
				.figure("GC ms", "%.0f", Statistics.median(rounds, Cost::gcMillis))
				.figure("Redis CPU us/entry", "%.2f", Statistics.median(rounds, Cost::redisCpuMicros))
				.figure("commands/100", "%.2f", Statistics.median(rounds, Cost::commandsPerHundred));
		}

		/**
		 * Say whether a goal is met.
		 * @param goal the goal
		 * @param met whether it is
		 * @return this row
		 */
		public Row goal(String goal, boolean met) {
			return label("goal: " + goal, met ? "met" : "missed");
		}

	}

}
