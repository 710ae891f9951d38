package io.github.redisstreams.sample.monitoring;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * The programs {@code prometheus} and {@code promtool} of this machine.
 */
final class PrometheusTools {

	/**
	 * The first that knows {@code keep_firing_for}.
	 */
	private static final int[] OLDEST = { 2, 42 };

	private static final Pattern VERSION = Pattern.compile("version (\\d+)\\.(\\d+)");

	private PrometheusTools() {
	}

	/**
	 * Where a program is. A test that asks for one is skipped where it is not.
	 */
	static String require(String program) {
		Optional<String> problem = problem(program);
		assumeTrue(problem.isEmpty(), () -> problem.orElse(""));
		return find(program).orElseThrow();
	}

	/**
	 * Why a program cannot be used, if so.
	 */
	static Optional<String> problem(String program) {
		String install = ": install Prometheus " + OLDEST[0] + "." + OLDEST[1] + " or later, such as Debian's package";
		Optional<String> executable = find(program);
		if (executable.isEmpty()) {
			return Optional.of("There is no " + program + " on the PATH" + install);
		}
		String version = run(executable.get(), "--version").text();
		return isNewEnough(version) ? Optional.empty() : Optional.of(version + " is too old" + install);
	}

	private static Optional<String> find(String program) {
		return Stream.of(System.getenv("PATH").split(Pattern.quote(File.pathSeparator)))
			.map((directory) -> Path.of(directory, program))
			.filter(Files::isExecutable)
			.map(Path::toString)
			.findFirst();
	}

	private static boolean isNewEnough(String text) {
		Matcher version = VERSION.matcher(text);
		assertThat(version.find()).as(text).isTrue();
		int major = Integer.parseInt(version.group(1));
		return major > OLDEST[0] || (major == OLDEST[0] && Integer.parseInt(version.group(2)) >= OLDEST[1]);
	}

	static Output promtool(String... arguments) {
		List<String> command = new ArrayList<>(List.of(require("promtool")));
		command.addAll(List.of(arguments));
		return run(command.toArray(String[]::new));
	}

	private static Output run(String... command) {
		try {
			Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
			process.getOutputStream().close();
			String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
			return new Output(process.waitFor(), text);
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * What a program has said.
	 */
	record Output(int status, String text) {

	}

}
