package io.github.redisstreams.autoconfigure;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;

import io.github.redisstreams.StreamsConfigurationException;
import io.github.redisstreams.publish.PublisherOptions;
import io.github.redisstreams.publish.PublisherSettings;
import io.github.redisstreams.redis.Durability;
import io.github.redisstreams.redis.Trimming;
import org.jspecify.annotations.Nullable;

import org.springframework.util.StringUtils;

/**
 * {@link PublisherSettings} from the {@code redis.streams.publisher} properties.
 */
class PropertiesPublisherSettings implements PublisherSettings {

	private static final String PREFIX = "redis.streams.publisher.";

	private final UnaryOperator<String> streamKeys;

	private final @Nullable String applicationName;

	private final boolean afterCommit;

	private final PublisherOptions common;

	private final Map<String, PublisherOptions> ofStreams;

	/**
	 * Create new settings.
	 * @param properties the properties
	 * @param streamKeys gives the stream's key for a name
	 * @param applicationName the producer
	 * @throws StreamsConfigurationException if something is set that cannot work
	 */
	PropertiesPublisherSettings(PublisherProperties properties, UnaryOperator<String> streamKeys,
			@Nullable String applicationName) {
		this.streamKeys = streamKeys;
		this.applicationName = applicationName;
		this.afterCommit = properties.isAfterCommit();
		this.common = options(properties, properties).check(PREFIX);
		this.ofStreams = ofStreams(properties);
	}

	private Map<String, PublisherOptions> ofStreams(PublisherProperties properties) {
		Map<String, PublisherOptions> options = new HashMap<>();
		Map<String, String> names = new HashMap<>();
		properties.getStreams().forEach((name, stream) -> {
			String key = streamKey(name);
			String other = names.putIfAbsent(key, name);
			if (other != null) {
				throw new StreamsConfigurationException("The properties " + PREFIX + "streams." + other + " and "
						+ PREFIX + "streams." + name + " are both about stream '" + key + "'",
						"Leave one of them out.");
			}
			options.put(key, options(stream, properties).check(PREFIX + "streams." + name + "."));
		});
		return options;
	}

	@Override
	public String streamKey(String name) {
		return this.streamKeys.apply(name);
	}

	@Override
	public PublisherOptions options(String stream) {
		return this.ofStreams.getOrDefault(stream, this.common);
	}

	private static PublisherOptions options(StreamPublisherProperties own, StreamPublisherProperties common) {
		PublisherOptions defaults = PublisherOptions.DEFAULTS;
		Trimming trimming = new Trimming(first(own.getTrim(), common.getTrim(), defaults.trimming().mode()),
				first(own.getMaxLength(), common.getMaxLength(), defaults.trimming().maxLength()),
				first(own.getRetention(), common.getRetention(), defaults.trimming().retention()));
		boolean tracking = first(own.getTracking().getEnabled(), common.getTracking().getEnabled(),
				defaults.tracking());
		Duration taskRetention = first(own.getTracking().getRetention(), common.getTracking().getRetention(),
				defaults.taskRetention());
		Durability durability = new Durability(
				first(own.getDurability().getReplicas(), common.getDurability().getReplicas(),
						defaults.durability().replicas()),
				first(own.getDurability().getFsync(), common.getDurability().getFsync(), defaults.durability().fsync()),
				first(own.getDurability().getTimeout(), common.getDurability().getTimeout(),
						defaults.durability().timeout()));
		return new PublisherOptions(trimming, tracking, taskRetention, durability);
	}

	private static <T> T first(@Nullable T own, @Nullable T common, T otherwise) {
		return (own != null) ? own : Objects.requireNonNullElse(common, otherwise);
	}

	@Override
	public boolean afterCommit() {
		return this.afterCommit;
	}

	@Override
	public String producer() {
		return StringUtils.hasText(this.applicationName) ? this.applicationName : PublisherSettings.super.producer();
	}

}
