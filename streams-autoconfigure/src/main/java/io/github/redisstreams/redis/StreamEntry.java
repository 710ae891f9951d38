package io.github.redisstreams.redis;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.BiConsumer;

import org.jspecify.annotations.Nullable;

/**
 * One stream entry as Redis returned it: its fields are bytes, in the order in which they
 * were added, a name possibly more than once.
 */
public final class StreamEntry {

	private static final byte[] TASK_FIELD = NewTask.FIELD.getBytes(StandardCharsets.UTF_8);

	private final EntryId id;

	private final long deliveryCount;

	private final byte[][] namesAndValues;

	/**
	 * Create a new entry.
	 * @param id its id
	 * @param deliveryCount how often the group has delivered it, this time included
	 * @param namesAndValues field names and values in turn
	 */
	public StreamEntry(EntryId id, long deliveryCount, byte[]... namesAndValues) {
		if (namesAndValues.length % 2 != 0) {
			throw new IllegalArgumentException("Entry " + id + " has a field name without a value");
		}
		this.id = id;
		this.deliveryCount = deliveryCount;
		this.namesAndValues = namesAndValues;
	}

	/**
	 * The entry's id.
	 * @return the id
	 */
	public EntryId id() {
		return this.id;
	}

	/**
	 * How often the group has delivered this entry, this time included: 1 at the first
	 * delivery. It is the count that {@code XPENDING} reports.
	 * @return the delivery count
	 */
	public long deliveryCount() {
		return this.deliveryCount;
	}

	/**
	 * The value of the first field with the given name.
	 * @param name the field's name
	 * @return its bytes, not copied, or {@code null} if there is no such field
	 */
	public byte @Nullable [] value(String name) {
		byte[] wanted = name.getBytes(StandardCharsets.UTF_8);
		for (int i = 0; i < this.namesAndValues.length; i += 2) {
			if (Arrays.equals(this.namesAndValues[i], wanted)) {
				return this.namesAndValues[i + 1];
			}
		}
		return null;
	}

	/**
	 * The id of the task that the entry is.
	 * @return the id, or {@code null} if it is none
	 */
	public @Nullable String taskId() {
		for (int i = this.namesAndValues.length - 2; i >= 0; i -= 2) {
			if (Arrays.equals(this.namesAndValues[i], TASK_FIELD)) {
				String id = new String(this.namesAndValues[i + 1], StandardCharsets.UTF_8);
				return id.equals(NewTask.OWN_ID) ? this.id.toString() : id;
			}
		}
		return null;
	}

	/**
	 * Pass each field's name and value, not copied, to the consumer, in the entry's
	 * order.
	 * @param consumer takes name and value
	 */
	public void forEachField(BiConsumer<byte[], byte[]> consumer) {
		for (int i = 0; i < this.namesAndValues.length; i += 2) {
			consumer.accept(this.namesAndValues[i], this.namesAndValues[i + 1]);
		}
	}

	StreamEntry withDeliveryCount(long deliveryCount) {
		return new StreamEntry(this.id, deliveryCount, this.namesAndValues);
	}

	@Override
	public String toString() {
		return "StreamEntry " + this.id + " (" + this.namesAndValues.length / 2 + " fields, delivery "
				+ this.deliveryCount + ")";
	}

}
