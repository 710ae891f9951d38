package io.github.redisstreams.benchmarks.micro;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

import io.github.redisstreams.benchmarks.contestant.Order;
import io.github.redisstreams.redis.EntryId;
import io.github.redisstreams.redis.StreamEntry;
import io.github.redisstreams.support.EntryMessageConverter;
import io.github.redisstreams.support.StreamHeaders;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.core.ResolvableType;
import org.springframework.data.redis.connection.stream.ByteRecord;
import org.springframework.data.redis.connection.stream.ObjectRecord;
import org.springframework.data.redis.connection.stream.StreamRecords;
import org.springframework.data.redis.hash.JacksonHashMapper;
import org.springframework.data.redis.hash.ObjectHashMapper;
import org.springframework.data.redis.serializer.RedisSerializer;

/**
 * Making of an entry what a handler takes, beside Spring Data Redis making a record of
 * the same bytes.
 */
@State(Scope.Thread)
public class ConversionBenchmark {

	private static final String ID = "1767225600000-0";

	private static final ResolvableType MAP = ResolvableType.forClassWithGenerics(Map.class, String.class,
			String.class);

	private static final ResolvableType ORDER = ResolvableType.forClass(Order.class);

	private final JsonMapper jsonMapper = JsonMapper.shared();

	private final EntryMessageConverter converter = new EntryMessageConverter(this.jsonMapper);

	private final JacksonHashMapper jacksonMapper = JacksonHashMapper.flattening();

	private final ObjectHashMapper objectMapper = new ObjectHashMapper();

	private final Map<byte[], byte[]> payload = bytes(Map.of("source", "web", StreamHeaders.PAYLOAD_FIELD, Order.JSON));

	private final Map<byte[], byte[]> fields = bytes(
			Map.of("customer", "ada", "product", "tea", "quantity", "2", "note", "by noon"));

	private final StreamEntry payloadEntry = entry(this.payload);

	private final StreamEntry fieldsEntry = entry(this.fields);

	private final ByteRecord payloadRecord = byteRecord(this.payload);

	private final ByteRecord fieldsRecord = byteRecord(this.fields);

	/** As the hash mappers write it, with the name of the class. */
	private final ByteRecord jacksonRecord = byteRecord(bytes(this.jacksonMapper.toHash(Order.OBJECT)));

	private final ByteRecord objectRecord = byteRecord(this.objectMapper.toHash(Order.OBJECT));

	private static Map<byte[], byte[]> bytes(Map<String, ?> fields) {
		Map<byte[], byte[]> bytes = new LinkedHashMap<>();
		fields.forEach((name, value) -> bytes.put(bytes(name), bytes(value.toString())));
		return bytes;
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	private static StreamEntry entry(Map<byte[], byte[]> fields) {
		byte[][] namesAndValues = new byte[2 * fields.size()][];
		int count = 0;
		for (Map.Entry<byte[], byte[]> field : fields.entrySet()) {
			namesAndValues[count++] = field.getKey();
			namesAndValues[count++] = field.getValue();
		}
		return new StreamEntry(new EntryId(1_767_225_600_000L, 0), 1, namesAndValues);
	}

	private static ByteRecord byteRecord(Map<byte[], byte[]> fields) {
		return StreamRecords.newRecord().in(bytes("work")).withId(ID).ofBytes(fields);
	}

	/**
	 * The fields as a map.
	 * @return the map
	 */
	@Benchmark
	public @Nullable Object mapOurs() {
		return this.converter.convert(this.fieldsEntry, MAP);
	}

	/**
	 * The fields as a {@code MapRecord}.
	 * @return the map
	 */
	@Benchmark
	public Map<String, String> mapSpringData() {
		return this.fieldsRecord.deserialize(RedisSerializer.string()).getValue();
	}

	/**
	 * A payload of JSON as a record.
	 * @return the record
	 */
	@Benchmark
	public @Nullable Object jsonOurs() {
		return this.converter.convert(this.payloadEntry, ORDER);
	}

	/**
	 * A {@code MapRecord}, and by hand its payload of JSON as a record.
	 * @return the record
	 */
	@Benchmark
	public Order jsonSpringData() {
		Map<String, String> map = this.payloadRecord.deserialize(RedisSerializer.string()).getValue();
		return this.jsonMapper.readValue(map.get(StreamHeaders.PAYLOAD_FIELD), Order.class);
	}

	/**
	 * The fields as a record.
	 * @return the record
	 */
	@Benchmark
	public @Nullable Object fieldsOurs() {
		return this.converter.convert(this.fieldsEntry, ORDER);
	}

	/**
	 * The fields as an {@code ObjectRecord} by way of Jackson.
	 * @return the record
	 */
	@Benchmark
	public Order fieldsSpringDataJackson() {
		ObjectRecord<String, Order> entry = this.jacksonRecord.deserialize(RedisSerializer.string())
			.toObjectRecord(this.jacksonMapper);
		return entry.getValue();
	}

	/**
	 * The fields as an {@code ObjectRecord} by way of Spring Data's mapping.
	 * @return the record
	 */
	@Benchmark
	public Order fieldsSpringDataMapping() {
		ObjectRecord<byte[], Order> entry = this.objectRecord.toObjectRecord(this.objectMapper);
		return entry.getValue();
	}

	/**
	 * A message, and one of the headers that a listener's has.
	 * @return the header
	 */
	@Benchmark
	public @Nullable Object headerOurs() {
		return this.converter.toMessage(this.payloadEntry, this::headers).getHeaders().get("source");
	}

	private Map<String, Object> headers() {
		return Map.of(StreamHeaders.STREAM, "work", StreamHeaders.GROUP, "workers", StreamHeaders.CONSUMER,
				"consumer-0", StreamHeaders.ID, this.payloadEntry.id().toRecordId(), StreamHeaders.DELIVERY_COUNT,
				this.payloadEntry.deliveryCount());
	}

}
