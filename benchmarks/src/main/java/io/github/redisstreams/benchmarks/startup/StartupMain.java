package io.github.redisstreams.benchmarks.startup;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;

import io.github.redisstreams.benchmarks.harness.SmallApplication;

import org.springframework.context.ConfigurableApplicationContext;

/**
 * The process of one application. It knows nothing of the starter, which may not be
 * there.
 */
final class StartupMain {

	private StartupMain() {
	}

	/**
	 * Start the application, say when it is ready, and stop it when the input ends.
	 * @param arguments where Redis listens, and what the application consists of
	 */
	public static void main(String[] arguments) throws ClassNotFoundException, IOException {
		PrintStream out = System.out;
		// So that no log gets between the lines
		System.setOut(System.err);
		ConfigurableApplicationContext application = SmallApplication
			.at(Integer.parseInt(arguments[0]), "redis.streams.listener.group=workers")
			.sources(Class.forName(arguments[1]))
			.run();
		// ApplicationReadyEvent has been published
		out.println("ready");
		System.in.transferTo(OutputStream.nullOutputStream());
		application.close();
	}

}
