package io.github.redisstreams.autoconfigure;

import io.github.redisstreams.autoconfigure.RedisStreamsProperties.ListenerProperties;
import io.github.redisstreams.autoconfigure.RedisStreamsProperties.NamedListenerProperties;
import io.github.redisstreams.config.ListenerSettings;
import io.github.redisstreams.listener.ListenerOptions;
import io.github.redisstreams.support.ConsumerNames;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.PropertyMapper;

/**
 * {@link ListenerSettings} from the {@code redis.streams} properties.
 */
class PropertiesListenerSettings implements ListenerSettings {

	private final RedisStreamsProperties properties;

	private final @Nullable String applicationName;

	PropertiesListenerSettings(RedisStreamsProperties properties, @Nullable String applicationName) {
		this.properties = properties;
		this.applicationName = applicationName;
	}

	@Override
	public void applyDefaults(ListenerOptions.Builder options) {
		String consumer = this.properties.getConsumer();
		options.consumer((consumer != null) ? consumer : ConsumerNames.ofHost());
		PropertyMapper.get().from(this.applicationName).to(options::group);
		apply(this.properties.getListener(), options);
	}

	@Override
	public void applyOverrides(String nameOrId, ListenerOptions.Builder options) {
		NamedListenerProperties named = this.properties.getListeners().get(nameOrId);
		if (named != null) {
			PropertyMapper map = PropertyMapper.get();
			map.from(named::getStream).to(options::stream);
			map.from(named::getConsumer).to(options::consumer);
			apply(named, options);
		}
	}

	@Override
	public String streamKey(String name) {
		NamedListenerProperties named = this.properties.getListeners().get(name);
		String stream = (named != null) ? named.getStream() : null;
		return (stream != null) ? stream : name;
	}

	private static void apply(ListenerProperties listener, ListenerOptions.Builder options) {
		PropertyMapper map = PropertyMapper.get();
		map.from(listener::getGroup).to(options::group);
		map.from(listener::getStartFrom).to(options::startFrom);
		map.from(listener::getAutoStartup).to(options::autoStartup);
		map.from(listener::getConcurrency).to(options::concurrency);
		map.from(listener::getBatchSize).to(options::batchSize);
		map.from(listener::getPollTimeout).to(options::pollTimeout);
		map.from(listener::getMinIdle).to(options::minIdle);
		map.from(listener::getClaimInterval).to(options::claimInterval);
		map.from(listener::getAckMode).to(options::ackMode);
		map.from(listener::getShutdownTimeout).to(options::shutdownTimeout);
	}

}
