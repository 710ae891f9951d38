package io.github.redisstreams.autoconfigure.actuate;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import io.github.redisstreams.autoconfigure.actuate.ListenerDetailsDescriptor.Consumer;
import io.github.redisstreams.autoconfigure.actuate.ListenerDetailsDescriptor.Group;
import io.github.redisstreams.autoconfigure.actuate.ListenerDetailsDescriptor.MostDelivered;
import io.github.redisstreams.autoconfigure.actuate.ListenerDetailsDescriptor.PendingEntry;
import io.github.redisstreams.deadletter.DeadLetterRange;
import io.github.redisstreams.deadletter.DeadLetters;
import io.github.redisstreams.listener.ListenerOptions;
import io.github.redisstreams.metrics.GroupSampler;
import io.github.redisstreams.redis.ConsumerInfo;
import io.github.redisstreams.redis.EntryId;
import io.github.redisstreams.redis.GroupInfo;
import io.github.redisstreams.redis.PendingDelivery;
import io.github.redisstreams.redis.StreamCommands;
import org.jspecify.annotations.Nullable;

/**
 * Asks Redis about the stream, group and dead letters of a listener, with a bounded
 * number of commands that each return a bounded number of things; but for
 * {@code XINFO GROUPS} and {@code XINFO CONSUMERS}, which know no bound.
 */
final class ListenerReader {

	static final int MOST_GROUPS = 100;

	static final int MOST_CONSUMERS = 100;

	static final int MOST_DELIVERED = 10;

	static final int MOST_SEARCHED = 1000;

	static final int MOST_LETTERS = 10;

	private static final int PAGE = 250;

	private final StreamCommands commands;

	private final GroupSampler groups;

	private final DeadLetters deadLetters;

	private final DeadLetterDescriber describer;

	ListenerReader(StreamCommands commands, DeadLetters deadLetters, DeadLetterDescriber describer) {
		this.commands = commands;
		this.groups = new GroupSampler(commands);
		this.deadLetters = deadLetters;
		this.describer = describer;
	}

	/**
	 * Read all there is to tell about a listener.
	 * @param id the listener's id
	 * @param options its options
	 * @param listener what is known without asking Redis
	 * @param showValues whether to show the content of dead letters
	 * @throws InterruptedException if the thread is interrupted while it waits for Redis
	 */
	Reading read(String id, ListenerOptions options, ListenerDescriptor listener, boolean showValues)
			throws InterruptedException {
		Questions questions = new Questions();
		Long length = questions.ask("length", () -> this.commands.length(options.stream()));
		List<Group> groups = questions.ask("groups", () -> groups(options));
		List<Consumer> consumers = questions.ask("consumers", () -> consumers(options));
		MostDelivered mostDelivered = questions.ask("mostDelivered", () -> mostDelivered(options));
		DeadLettersDescriptor letters = questions.ask("deadLetters", () -> deadLetters(id, options, showValues));
		return new Reading(new ListenerDetailsDescriptor(id, listener, length, groups, consumers, mostDelivered,
				letters, questions.errors()), questions.isServing());
	}

	private List<Group> groups(ListenerOptions options) throws InterruptedException {
		Comparator<String> ownFirst = Comparator.comparing((String name) -> !name.equals(options.group()))
			.thenComparing(Comparator.naturalOrder());
		Set<String> names = this.commands.groups(options.stream())
			.stream()
			.map(GroupInfo::name)
			.sorted(ownFirst)
			.limit(MOST_GROUPS)
			.collect(Collectors.toSet());
		return this.groups.sample(options.stream(), names)
			.entrySet()
			.stream()
			.sorted(Map.Entry.comparingByKey(ownFirst))
			.map((group) -> Group.of(group.getKey(), group.getValue()))
			.toList();
	}

	private List<Consumer> consumers(ListenerOptions options) {
		return this.commands.consumers(options.stream(), options.group())
			.stream()
			.sorted(Comparator.comparingLong(ConsumerInfo::pending).reversed().thenComparing(ConsumerInfo::name))
			.limit(MOST_CONSUMERS)
			.map(Consumer::of)
			.toList();
	}

	// The oldest are the likeliest to have been delivered often
	private MostDelivered mostDelivered(ListenerOptions options) {
		List<PendingDelivery> searched = new ArrayList<>();
		EntryId after = EntryId.ZERO;
		boolean complete = false;
		while (!complete && searched.size() < MOST_SEARCHED) {
			List<PendingDelivery> page = this.commands.pending(options.stream(), options.group(), after, PAGE);
			searched.addAll(page);
			complete = page.size() < PAGE;
			after = page.isEmpty() ? after : page.get(page.size() - 1).id();
		}
		List<PendingEntry> entries = searched.stream()
			.sorted(Comparator.comparingLong(PendingDelivery::deliveryCount).reversed())
			.limit(MOST_DELIVERED)
			.map(PendingEntry::of)
			.toList();
		return new MostDelivered(entries, searched.size(), complete);
	}

	private DeadLettersDescriptor deadLetters(String id, ListenerOptions options, boolean showValues) {
		return new DeadLettersDescriptor(options.deadLetterStream(), this.deadLetters.count(id),
				this.deadLetters.listNewestFirst(id, DeadLetterRange.all(), MOST_LETTERS)
					.stream()
					.map((letter) -> this.describer.describe(letter, showValues))
					.toList());
	}

	/**
	 * What was read.
	 *
	 * @param details what is known
	 * @param serving whether Redis serves; if not, most is missing
	 */
	record Reading(ListenerDetailsDescriptor details, boolean serving) {

		/**
		 * Where there was no answer at all.
		 */
		static Reading nothing(String id, ListenerDescriptor listener, String problem) {
			return new Reading(
					new ListenerDetailsDescriptor(id, listener, null, null, null, null, null, Map.of("redis", problem)),
					false);
		}

	}

	private interface Question<T> {

		T ask() throws InterruptedException;

	}

	/**
	 * Asks until Redis does not serve: each further question would wait as long.
	 */
	private static final class Questions {

		private final Map<String, String> errors = new LinkedHashMap<>();

		private boolean serving = true;

		<T> @Nullable T ask(String part, Question<T> question) throws InterruptedException {
			if (!this.serving) {
				return null;
			}
			try {
				return question.ask();
			}
			// Whatever it is (a closed connection factory, say): the other parts may be
			// told
			catch (RuntimeException ex) {
				RedisProblem problem = RedisProblem.of(ex);
				this.serving = !problem.unavailable();
				this.errors.put(this.serving ? part : "redis", problem.description());
				return null;
			}
		}

		boolean isServing() {
			return this.serving;
		}

		@Nullable Map<String, String> errors() {
			return this.errors.isEmpty() ? null : this.errors;
		}

	}

}
