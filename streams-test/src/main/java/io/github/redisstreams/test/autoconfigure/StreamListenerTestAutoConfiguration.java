package io.github.redisstreams.test.autoconfigure;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.PropertySource;

/**
 * Auto-configuration of what is special about {@link StreamListenerTest}: properties that
 * make tests quick, and that anything else the application or the test configures wins
 * over.
 */
@AutoConfiguration
@PropertySource(name = "streamListenerTestDefaults",
		value = "classpath:/io/github/redisstreams/test/autoconfigure/stream-listener-test.properties")
public final class StreamListenerTestAutoConfiguration {

}
