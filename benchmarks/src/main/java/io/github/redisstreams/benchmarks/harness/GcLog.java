package io.github.redisstreams.benchmarks.harness;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The pauses of a garbage collector, as its JVM logs them to a file.
 */
public final class GcLog implements AutoCloseable {

	private static final Pattern PAUSE = Pattern.compile(" Pause (.*) (\\d+)M->(\\d+)M\\(\\d+M\\) ([0-9.]+)ms");

	private final Path file;

	/**
	 * Create a log, which is empty as long as no JVM writes to it.
	 */
	public GcLog() throws IOException {
		this.file = Files.createTempFile("benchmark-gc", ".log");
	}

	/**
	 * What has a JVM write the log.
	 * @return the option
	 */
	public String option() {
		// Never to another file when it gets long
		return "-Xlog:gc:file=" + this.file + ":none:filecount=0";
	}

	/**
	 * The pauses so far.
	 * @return the pauses, the earliest first
	 */
	public List<Pause> pauses() throws IOException {
		return Files.readAllLines(this.file).stream().map(PAUSE::matcher).filter(Matcher::find).map(Pause::of).toList();
	}

	@Override
	public void close() throws IOException {
		Files.delete(this.file);
	}

	/**
	 * One pause.
	 *
	 * @param wanted whether the application wanted it, by {@link System#gc()}
	 * @param before how many megabytes of heap were in use before
	 * @param after how many after it
	 * @param millis for how long it held up the JVM
	 */
	public record Pause(boolean wanted, double before, double after, double millis) {

		static Pause of(Matcher line) {
			return new Pause(line.group(1).contains("System.gc()"), Double.parseDouble(line.group(2)),
					Double.parseDouble(line.group(3)), Double.parseDouble(line.group(4)));
		}

	}

}
