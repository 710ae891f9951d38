package io.github.redisstreams.benchmarks.startup;

import java.io.File;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

import io.github.redisstreams.benchmarks.harness.ChildJvm;

/**
 * An application that can be started.
 */
public enum Application {

	/**
	 * Nothing of the starter is on the class path, and Redis is not connected to.
	 */
	BARE("without the starter", BareConfiguration.class, 0),

	/**
	 * Nothing of the starter is on the class path, but Redis is used, as it is sooner or
	 * later.
	 */
	CONNECTED("without the starter, one PING", PingConfiguration.class, 0),

	/**
	 * A listener, which has its group.
	 */
	ONE_LISTENER("one listener", OneListener.class, 1),

	/**
	 * Ten listeners, which have their groups.
	 */
	TEN_LISTENERS("ten listeners", TenListeners.class, 10);

	private static final String STARTER = "streams-";

	private final String title;

	private final Class<?> source;

	private final int listeners;

	Application(String title, Class<?> source, int listeners) {
		this.title = title;
		this.source = source;
		this.listeners = listeners;
	}

	/**
	 * What to call it.
	 * @return the title
	 */
	public String title() {
		return this.title;
	}

	/**
	 * How many listeners it has.
	 * @return their number, 0 without the starter
	 */
	public int listeners() {
		return this.listeners;
	}

	/**
	 * Start it in a JVM of its own, which sends a line when it is ready.
	 * @param port where Redis listens
	 * @return the JVM
	 */
	public ChildJvm start(int port) throws IOException {
		return ChildJvm.start(List.of("-Xmx256m"), (this.listeners == 0) ? withoutStarter() : ChildJvm.classPath(),
				StartupMain.class, String.valueOf(port), this.source.getName());
	}

	private static String withoutStarter() {
		return Arrays.stream(ChildJvm.classPath().split(File.pathSeparator))
			.filter((entry) -> !new File(entry).getName().startsWith(STARTER))
			.collect(Collectors.joining(File.pathSeparator));
	}

}
