package io.github.redisstreams.deadletter;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;

import io.github.redisstreams.redis.EntryId;
import io.github.redisstreams.redis.StreamCommands;
import io.github.redisstreams.redis.StreamEntry;

import org.springframework.data.redis.connection.stream.RecordId;
import org.springframework.util.Assert;

/**
 * {@link DeadLetters} over {@link StreamCommands}.
 */
public class RedisDeadLetters implements DeadLetters {

	private static final int PAGE = 100;

	private static final int MOST_IDS = 1000;

	private final StreamCommands commands;

	private final Function<String, DeadLetterStreams> streams;

	/**
	 * Create a new instance.
	 * @param commands the port to Redis
	 * @param streams gives the keys for a name
	 */
	public RedisDeadLetters(StreamCommands commands, Function<String, DeadLetterStreams> streams) {
		this.commands = commands;
		this.streams = streams;
	}

	@Override
	public long count(String name) {
		return this.commands.length(key(name));
	}

	@Override
	public List<DeadLetterEntry> list(String name, DeadLetterRange range, int limit) {
		return list(name, range, limit, false);
	}

	@Override
	public List<DeadLetterEntry> listNewestFirst(String name, DeadLetterRange range, int limit) {
		return list(name, range, limit, true);
	}

	private List<DeadLetterEntry> list(String name, DeadLetterRange range, int limit, boolean newestFirst) {
		Assert.isTrue(limit > 0, () -> "The limit must be greater than 0, not " + limit);
		String key = key(name);
		List<DeadLetterEntry> listed = new ArrayList<>();
		DeadLetterRange rest = range;
		while (listed.size() < limit && !rest.isEmpty()) {
			int count = Math.min(PAGE, limit - listed.size());
			List<StreamEntry> page = this.commands.range(key, rest.first(), rest.last(), newestFirst, count);
			page.forEach((letter) -> listed.add(DeadLetterEntry.of(letter)));
			if (page.size() < count) {
				break;
			}
			EntryId reached = page.get(count - 1).id();
			rest = newestFirst ? rest.before(reached) : rest.after(reached);
		}
		return listed;
	}

	@Override
	public RedriveResult redrive(String name, Redrive request) {
		RedriveRun run = new RedriveRun(this.commands, this.streams.apply(name), request);
		List<RecordId> ids = request.ids();
		return (ids != null) ? run.byIds(ids) : run.byRange(untilNow(key(name), request.range()));
	}

	@Override
	public long purge(String name, DeadLetterRange range, long maximum) {
		Assert.isTrue(maximum > 0, () -> "The maximum must be greater than 0, not " + maximum);
		String key = key(name);
		DeadLetterRange until = untilNow(key, range);
		long purged = 0;
		while (purged < maximum && !until.isEmpty()) {
			int count = (int) Math.min(PAGE, maximum - purged);
			long deleted = this.commands.deleteRange(key, until.first(), until.last(), count);
			purged += deleted;
			if (deleted < count) {
				break;
			}
		}
		return purged;
	}

	@Override
	public long purge(String name, Collection<RecordId> ids) {
		List<EntryId> all = ids.stream().map((id) -> EntryId.parse(id.getValue())).toList();
		String key = key(name);
		long purged = 0;
		for (int from = 0; from < all.size(); from += MOST_IDS) {
			purged += this.commands.delete(key, all.subList(from, Math.min(all.size(), from + MOST_IDS)));
		}
		return purged;
	}

	// Without this, entries that fail again at once would be met again and again
	private DeadLetterRange untilNow(String key, DeadLetterRange range) {
		List<StreamEntry> newest = this.commands.range(key, EntryId.ZERO, EntryId.MAX, true, 1);
		return range.until(newest.isEmpty() ? EntryId.ZERO : newest.get(0).id());
	}

	private String key(String name) {
		return this.streams.apply(name).deadLetters();
	}

}
