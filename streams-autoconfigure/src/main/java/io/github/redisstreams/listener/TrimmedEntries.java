package io.github.redisstreams.listener;

import java.util.List;

import io.github.redisstreams.redis.EntryId;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Counts and logs entries that were trimmed or deleted from their stream before they were
 * acknowledged, wherever it is found out.
 */
final class TrimmedEntries {

	private static final Log logger = LogFactory.getLog(TrimmedEntries.class);

	private TrimmedEntries() {
	}

	static void cleared(ListenerOptions options, ContainerCounters counters, List<EntryId> ids) {
		if (!ids.isEmpty()) {
			counters.trimmedPending.add(ids.size());
			logger.warn(ids.size() + " entries of stream '" + options.stream()
					+ "' were trimmed or deleted while pending in " + "group '" + options.group() + "', such as "
					+ ids.get(0) + ", and cannot be delivered again; they were taken off the pending list");
		}
	}

}
