package io.github.redisstreams.chaos;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * What the handlers of all processes have done, in a file for each process. A line is
 * with the operating system when {@link #write} returns, so it outlives the process
 * however that ends.
 */
final class Ledger implements AutoCloseable {

	private final FileChannel file;

	Ledger(Path directory, String consumer) throws IOException {
		Path path = directory.resolve(consumer + "." + ProcessHandle.current().pid());
		this.file = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
	}

	void write(Step step, int n, long delivery) {
		String line = System.currentTimeMillis() + " " + step + " " + n + " " + delivery + "\n";
		try {
			this.file.write(ByteBuffer.wrap(line.getBytes(StandardCharsets.US_ASCII)));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Override
	public void close() throws IOException {
		this.file.close();
	}

	/**
	 * Everything that was written, in the order of time.
	 */
	static List<Event> read(Path directory) {
		List<Event> events = new ArrayList<>();
		try (Stream<Path> paths = Files.list(directory)) {
			for (Path path : paths.toList()) {
				for (String line : Files.readAllLines(path)) {
					events.add(Event.parse(path.getFileName().toString(), line));
				}
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		events.sort(Comparator.comparingLong(Event::millis));
		return events;
	}

	/**
	 * What a handler does.
	 */
	enum Step {

		START, DONE, FAIL, INTERRUPTED

	}

	/**
	 * One step of one handler.
	 *
	 * @param millis when
	 * @param process the consumer's name and the process's id
	 * @param step what
	 * @param n the entry's number
	 * @param delivery the delivery count
	 */
	record Event(long millis, String process, Step step, int n, long delivery) {

		static Event parse(String process, String line) {
			String[] words = line.split(" ");
			return new Event(Long.parseLong(words[0]), process, Step.valueOf(words[1]), Integer.parseInt(words[2]),
					Long.parseLong(words[3]));
		}

	}

}
