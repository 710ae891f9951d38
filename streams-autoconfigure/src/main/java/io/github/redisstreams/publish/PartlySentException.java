package io.github.redisstreams.publish;

import java.util.Collections;
import java.util.Map;

import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.connection.stream.RecordId;

/**
 * Not all entries of a collection were sent. Says which were and which were not.
 */
public class PartlySentException extends DataAccessException {

	private static final long serialVersionUID = 1L;

	private final transient Map<Integer, RecordId> sent;

	private final transient Map<Integer, Throwable> failures;

	/**
	 * Create a new exception.
	 * @param stream the stream's key
	 * @param sent the ids of those that were sent, by their positions in the collection
	 * @param failures why the others were not, by their positions; at least one
	 */
	public PartlySentException(String stream, Map<Integer, RecordId> sent, Map<Integer, Throwable> failures) {
		super(failures.size() + " of " + (sent.size() + failures.size())
				+ " entries were not confirmed to be in stream '" + stream + "', the first at position "
				+ failures.keySet().iterator().next(), failures.values().iterator().next());
		this.sent = Collections.unmodifiableMap(sent);
		this.failures = Collections.unmodifiableMap(failures);
	}

	/**
	 * The entries that were sent.
	 * @return their ids by their positions in the collection, in its order
	 */
	public Map<Integer, RecordId> getSent() {
		return this.sent;
	}

	/**
	 * Why the other entries were not sent. Where the reply was lost, an entry may have
	 * been added all the same.
	 * @return what failed by their positions in the collection, in its order
	 */
	public Map<Integer, Throwable> getFailures() {
		return this.failures;
	}

}
