package io.github.redisstreams.benchmarks.startup;

import org.springframework.context.annotation.Configuration;

/**
 * Adds nothing.
 */
@Configuration(proxyBeanMethods = false)
class BareConfiguration {

}
