package io.github.redisstreams.chaos;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.github.redisstreams.chaos.Ledger.Event;
import io.github.redisstreams.chaos.Ledger.Step;
import io.github.redisstreams.deadletter.DeadLetterHeaders;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What came out of a run.
 */
final class Verdict {

	private static final int MOST_HISTORIES = 10;

	/** How long a fault may have an effect when it is over. */
	private static final Duration AFTERMATH = Workload.MIN_IDLE.multipliedBy(2);

	private final Workload workload;

	private final Feeder feeder;

	private final List<Instance> instances;

	private final List<Fault> faults;

	private final boolean settled;

	private final Map<Integer, List<Event>> histories;

	private final Map<Integer, List<DeadLetterView>> deadLetters;

	private final List<Repetition> repetitions;

	private final List<String> surprises;

	Verdict(Workload workload, Feeder feeder, List<Instance> instances, List<Fault> faults, List<Event> events,
			List<DeadLetterView> deadLetters, boolean settled, List<String> surprises) {
		this.surprises = surprises;
		this.workload = workload;
		this.feeder = feeder;
		this.instances = instances;
		this.faults = faults.stream().sorted(Comparator.comparingLong(Fault::from)).toList();
		this.settled = settled;
		this.histories = events.stream().collect(Collectors.groupingBy(Event::n, TreeMap::new, Collectors.toList()));
		this.deadLetters = deadLetters.stream()
			.collect(Collectors.groupingBy(DeadLetterView::n, TreeMap::new, Collectors.toList()));
		this.repetitions = this.histories.values().stream().flatMap(this::repetitions).toList();
	}

	private Stream<Repetition> repetitions(List<Event> history) {
		List<Event> done = history.stream().filter((event) -> event.step() == Step.DONE).toList();
		return IntStream.range(1, done.size()).mapToObj((i) -> new Repetition(done.get(i - 1), done.get(i)));
	}

	private Set<Integer> handled() {
		return this.histories.entrySet()
			.stream()
			.filter((entry) -> entry.getValue().stream().anyMatch((event) -> event.step() == Step.DONE))
			.map(Map.Entry::getKey)
			.collect(Collectors.toCollection(TreeSet::new));
	}

	/**
	 * Entries that no handler has finished.
	 */
	Set<Integer> unhandled() {
		Set<Integer> numbers = IntStream.range(0, this.workload.entries())
			.boxed()
			.collect(Collectors.toCollection(TreeSet::new));
		numbers.removeAll(handled());
		return numbers;
	}

	/**
	 * Entries that no handler can finish.
	 */
	Set<Integer> poison() {
		return IntStream.range(0, this.workload.entries())
			.filter(this.workload::isPoison)
			.boxed()
			.collect(Collectors.toCollection(TreeSet::new));
	}

	Map<Integer, List<DeadLetterView>> deadLetters() {
		return this.deadLetters;
	}

	private Set<Integer> handledAndDeadLetter() {
		Set<Integer> both = handled();
		both.retainAll(this.deadLetters.keySet());
		return both;
	}

	/**
	 * How many entries may have been handled more than once: with each fault that can do
	 * that, whatever each process held that it hit.
	 */
	private long bound() {
		return this.faults.stream()
			.filter((fault) -> fault.kind().doubles())
			.mapToLong((fault) -> (long) Workload.mostHeld()
					* this.instances.stream().filter((instance) -> fault.hits(instance.index())).count())
			.sum();
	}

	// Nothing has happened to any who began to handle it that could have kept an
	// acknowledgement back, or a lease from being renewed
	private boolean isUnexplained(Repetition repetition) {
		long end = repetition.second.millis();
		return this.histories.get(repetition.first.n())
			.stream()
			.filter((event) -> event.step() == Step.START && event.millis() <= end)
			.noneMatch((start) -> isHit(Instance.indexOf(start.process()), start.millis(), end));
	}

	private boolean isHit(int instance, long from, long to) {
		return this.faults.stream()
			.filter((fault) -> fault.kind().doubles() && fault.hits(instance))
			.anyMatch((fault) -> fault.from() <= to && fault.to() + AFTERMATH.toMillis() >= from);
	}

	private List<Repetition> unexplained() {
		return this.repetitions.stream().filter(this::isUnexplained).toList();
	}

	/**
	 * The figures.
	 */
	String report(Duration faulty, Duration all) {
		Map<String, Object> figures = new LinkedHashMap<>();
		figures.put("seed", this.workload.seed());
		figures.put("entries", this.workload.entries());
		figures.put("handled", handled().size());
		figures.put("handled more than once",
				this.repetitions.size() + ", at most " + bound() + " explained; "
						+ this.repetitions.stream().filter(Repetition::isWithinOneProcess).count()
						+ " by the same process, " + unexplained().size() + " without a fault");
		figures.put("dead letters", this.deadLetters.size() + " " + reasons());
		figures.put("handled and dead letter", handledAndDeadLetter().size());
		figures.put("handlings", countsBy(
				events().filter((event) -> event.step() != Step.START).map((event) -> event.step().toString())));
		figures.put("highest delivery count", events().mapToLong(Event::delivery).max().orElse(0));
		figures.put("taken over", takenOver());
		figures.put("suspended",
				this.instances.stream().mapToInt((instance) -> instance.log("is suspended").size()).sum() + " times");
		figures.put("faults",
				this.faults.size() + " " + countsBy(this.faults.stream().map((fault) -> fault.kind().toString())));
		figures.put("seconds", faulty.toSeconds() + " with faults, " + all.toSeconds() + " until all was settled");
		return figures.entrySet()
			.stream()
			.map((figure) -> "  " + figure.getKey() + ": " + figure.getValue() + "\n")
			.collect(Collectors.joining("", "Chaos is over" + (this.settled ? "" : ", but NOT SETTLED") + ":\n", ""));
	}

	private Map<String, Long> reasons() {
		return countsBy(this.deadLetters.values().stream().flatMap(List::stream).map(DeadLetterView::reason));
	}

	private static Map<String, Long> countsBy(Stream<String> names) {
		return names.collect(Collectors.groupingBy((name) -> name, TreeMap::new, Collectors.counting()));
	}

	private Stream<Event> events() {
		return this.histories.values().stream().flatMap(List::stream);
	}

	// By another consumer, so that min-idle must have passed
	private long takenOver() {
		return this.histories.values()
			.stream()
			.filter((history) -> history.stream().map((event) -> consumer(event.process())).distinct().count() > 1)
			.count();
	}

	private static String consumer(String process) {
		return process.substring(0, process.indexOf('.'));
	}

	/**
	 * What holds for every run.
	 */
	void assertHolds() {
		assertThat(this.settled)
			.withFailMessage(() -> "Not all entries were settled in the end\n" + historiesOf(unfinished()) + "\n"
					+ String.join("\n", this.surprises))
			.isTrue();
		assertThat(this.surprises)
			.withFailMessage(
					() -> "Processes went wrong\n" + String.join("\n", this.surprises) + "\n" + historiesOf(List.of()))
			.isEmpty();
		assertThat(missing()).withFailMessage(() -> "Lost\n" + historiesOf(missing())).isEmpty();
		assertThat(unexplained())
			.withFailMessage(() -> "Handled more than once without a fault\n"
					+ historiesOf(unexplained().stream().map((repetition) -> repetition.first.n()).toList()))
			.isEmpty();
		assertThat(this.repetitions.size() + handledAndDeadLetter().size())
			.withFailMessage(() -> "More was handled more than once than faults explain\n"
					+ historiesOf(this.repetitions.stream().map((repetition) -> repetition.first.n()).toList()))
			.isLessThanOrEqualTo((int) bound());
	}

	private List<Integer> missing() {
		return unhandled().stream().filter((n) -> !this.deadLetters.containsKey(n)).toList();
	}

	private List<Integer> unfinished() {
		return Stream.concat(missing().stream(), this.histories.keySet().stream().sorted(Comparator.reverseOrder()))
			.toList();
	}

	/**
	 * That a dead letter begins with the fields of its entry and tells where that was.
	 */
	void assertOriginal(DeadLetterView letter) {
		String[] fields = Workload.fields(letter.n());
		Map<String, String> original = new LinkedHashMap<>();
		for (int i = 0; i < fields.length; i += 2) {
			original.put(fields[i], fields[i + 1]);
		}
		assertThat(letter.names()).as("fields of entry " + letter.n())
			.startsWith(original.keySet().toArray(String[]::new));
		assertThat(letter.fields()).containsAllEntriesOf(original);
		assertThat(letter.header(DeadLetterHeaders.STREAM)).isEqualTo(Workload.STREAM);
		assertThat(letter.header(DeadLetterHeaders.ID)).isEqualTo(this.feeder.id(letter.n()));
		assertThat(letter.header(DeadLetterHeaders.GROUP)).isEqualTo(Workload.GROUP);
	}

	private String historiesOf(List<Integer> numbers) {
		return numbers.stream().distinct().limit(MOST_HISTORIES).map(this::history).collect(Collectors.joining("\n"))
				+ "\nAll faults:\n" + this.faults.stream().map(Fault::toString).collect(Collectors.joining("\n"));
	}

	private String history(int n) {
		String id = this.feeder.id(n);
		List<String> lines = new ArrayList<>();
		lines.add("Entry " + n + " (" + id + "), dead letters " + this.deadLetters.getOrDefault(n, List.of()));
		this.histories.getOrDefault(n, List.of())
			.forEach((event) -> lines.add("  " + Instant.ofEpochMilli(event.millis()) + " " + event.process() + " "
					+ event.step() + " delivery " + event.delivery()));
		this.instances.forEach((instance) -> instance.log(id + " ")
			.forEach((line) -> lines.add("  instance " + instance.index() + ": " + line)));
		return String.join("\n", lines);
	}

	/**
	 * An entry that was handled again.
	 */
	private record Repetition(Event first, Event second) {

		boolean isWithinOneProcess() {
			return this.first.process().equals(this.second.process());
		}

	}

}
