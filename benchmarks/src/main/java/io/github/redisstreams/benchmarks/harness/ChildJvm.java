package io.github.redisstreams.benchmarks.harness;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Another JVM, as a rule with the same class path, spoken to in lines.
 */
public final class ChildJvm implements AutoCloseable {

	private static final Duration PATIENCE = Duration.ofSeconds(10);

	private final Process process;

	private final PrintWriter to;

	private final BufferedReader from;

	private ChildJvm(Process process) {
		this.process = process;
		this.to = new PrintWriter(process.getOutputStream(), true, StandardCharsets.UTF_8);
		this.from = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
	}

	/**
	 * Start a JVM. It is killed when this one ends.
	 * @param options for the JVM
	 * @param main what to run
	 * @param arguments what to run it with
	 * @return the running JVM
	 */
	public static ChildJvm start(List<String> options, Class<?> main, String... arguments) throws IOException {
		return start(options, classPath(), main, arguments);
	}

	/**
	 * Start a JVM with another class path. It is killed when this one ends.
	 * @param options for the JVM
	 * @param classPath the class path
	 * @param main what to run
	 * @param arguments what to run it with
	 * @return the running JVM
	 */
	public static ChildJvm start(List<String> options, String classPath, Class<?> main, String... arguments)
			throws IOException {
		List<String> command = new ArrayList<>();
		command.add(System.getProperty("java.home") + File.separator + "bin" + File.separator + "java");
		command.addAll(options);
		command.add("-cp");
		command.add(classPath);
		command.add(main.getName());
		command.addAll(List.of(arguments));
		Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
		Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
		return new ChildJvm(process);
	}

	/**
	 * The class path of this JVM.
	 * @return directories and archives
	 */
	public static String classPath() {
		// Maven runs a main class with a class loader of its own, of which the property
		// knows nothing
		if (ChildJvm.class.getClassLoader() instanceof URLClassLoader loader) {
			return Arrays.stream(loader.getURLs()).map(ChildJvm::file).collect(Collectors.joining(File.pathSeparator));
		}
		return System.getProperty("java.class.path");
	}

	private static String file(URL url) {
		try {
			return new File(new URI(url.toString())).getPath();
		}
		catch (URISyntaxException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Send a line.
	 * @param line the line
	 */
	public void send(String line) {
		this.to.println(line);
	}

	/**
	 * Wait for a line.
	 * @return the line
	 * @throws IOException if the JVM ends before it sends one
	 */
	public String receive() throws IOException {
		String line = this.from.readLine();
		if (line == null) {
			throw new IOException("The JVM that was to be measured has ended");
		}
		return line;
	}

	/**
	 * The JVM as the operating system sees it.
	 * @return the process
	 */
	public Process process() {
		return this.process;
	}

	/**
	 * End the input, on which the JVM is to end, and kill it if it does not.
	 */
	@Override
	public void close() {
		this.to.close();
		this.process.onExit().orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).exceptionally((overdue) -> {
			this.process.destroyForcibly();
			return this.process;
		}).join();
	}

}
