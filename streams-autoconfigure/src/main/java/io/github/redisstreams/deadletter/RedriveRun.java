package io.github.redisstreams.deadletter;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

import io.github.redisstreams.redis.EntryId;
import io.github.redisstreams.redis.StreamCommands;
import io.github.redisstreams.redis.StreamEntry;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.connection.stream.RecordId;

/**
 * One redrive, on the thread that asked for it. Entry by entry: so they keep their order,
 * and the first that Redis refuses ends it.
 */
final class RedriveRun {

	private static final Log logger = LogFactory.getLog(RedriveRun.class);

	private static final int PAGE = 100;

	private static final int MOST_LISTED = 1000;

	private final StreamCommands commands;

	private final DeadLetterStreams streams;

	private final Redrive request;

	private final List<RedriveResult.Entry> entries = new ArrayList<>();

	private final long interval;

	private long next = System.nanoTime();

	private long redriven;

	private long refused;

	private long missing;

	private boolean interrupted;

	RedriveRun(StreamCommands commands, DeadLetterStreams streams, Redrive request) {
		this.commands = commands;
		this.streams = streams;
		this.request = request;
		this.interval = (long) Math.min(TimeUnit.DAYS.toNanos(365), TimeUnit.SECONDS.toNanos(1) / request.rate());
	}

	RedriveResult byIds(List<RecordId> ids) {
		try {
			for (RecordId recordId : ids) {
				if (isDone()) {
					break;
				}
				EntryId id = EntryId.parse(recordId.getValue());
				List<StreamEntry> found = read(new DeadLetterRange(id, id), 1);
				if (!found.isEmpty()) {
					redrive(found.get(0));
				}
				else if (!this.interrupted) {
					this.missing++;
				}
			}
		}
		finally {
			log();
		}
		return result();
	}

	RedriveResult byRange(DeadLetterRange range) {
		try {
			DeadLetterRange rest = range;
			while (!isDone() && !rest.isEmpty()) {
				int count = (int) Math.min(PAGE, this.request.maximum() - this.redriven);
				List<StreamEntry> page = read(rest, count);
				for (StreamEntry letter : page) {
					if (isDone()) {
						break;
					}
					redrive(letter);
				}
				if (page.size() < count) {
					break;
				}
				rest = rest.after(page.get(count - 1).id());
			}
		}
		finally {
			log();
		}
		return result();
	}

	private boolean isDone() {
		return this.redriven >= this.request.maximum() || this.interrupted;
	}

	private List<StreamEntry> read(DeadLetterRange range, int count) {
		try {
			return this.commands.range(this.streams.deadLetters(), range.first(), range.last(), false, count);
		}
		catch (DataAccessException ex) {
			if (Thread.currentThread().isInterrupted()) {
				this.interrupted = true;
				return List.of();
			}
			throw ex;
		}
	}

	private void redrive(StreamEntry letter) {
		DeadLetterFields fields = DeadLetterFields.of(letter);
		if (fields.redrives() >= this.request.maxRedrives()) {
			this.refused++;
			return;
		}
		String stream = target(fields.header(DeadLetterHeaders.STREAM));
		if (this.request.dryRun()) {
			redriven(letter, stream, null);
			return;
		}
		if (!awaitTurn()) {
			return;
		}
		move(letter, stream, fields.redriven()).ifPresentOrElse((id) -> redriven(letter, stream, id.toRecordId()),
				() -> this.missing++);
	}

	private String target(@Nullable String origin) {
		return (origin != null && this.commands.areTogether(this.streams.deadLetters(), origin)) ? origin
				: this.streams.stream();
	}

	private Optional<EntryId> move(StreamEntry letter, String stream, List<byte[]> fields) {
		try {
			return this.commands.redrive(this.streams.deadLetters(), letter.id(), stream, fields, letter.taskId())
				.toCompletableFuture()
				.join();
		}
		catch (CompletionException ex) {
			throw (ex.getCause() instanceof DataAccessException failure) ? failure : ex;
		}
	}

	private void redriven(StreamEntry letter, String stream, @Nullable RecordId id) {
		this.redriven++;
		if (this.entries.size() < MOST_LISTED) {
			this.entries.add(new RedriveResult.Entry(letter.id().toRecordId(), stream, id));
		}
	}

	private boolean awaitTurn() {
		try {
			if (Thread.interrupted()) {
				throw new InterruptedException();
			}
			long now = System.nanoTime();
			if (this.next - now > 0) {
				TimeUnit.NANOSECONDS.sleep(this.next - now);
			}
			// What was late is not made up for
			this.next = now + Math.max(0, this.next + this.interval - now);
			return true;
		}
		catch (InterruptedException ex) {
			this.interrupted = true;
			Thread.currentThread().interrupt();
			return false;
		}
	}

	private void log() {
		if (this.redriven > 0 && !this.request.dryRun()) {
			logger.info("Put " + this.redriven + " dead letters of '" + this.streams.deadLetters()
					+ "' back into their stream" + ((this.refused > 0) ? "; left " + this.refused
							+ " that were redriven " + this.request.maxRedrives() + " times or more" : ""));
		}
	}

	private RedriveResult result() {
		return new RedriveResult(this.redriven, List.copyOf(this.entries), this.refused, this.missing,
				this.request.dryRun());
	}

}
