package io.github.redisstreams.annotation;

import java.util.ArrayList;
import java.util.List;

import io.github.redisstreams.config.StreamListenerConfigurer;
import io.github.redisstreams.config.StreamListenerContainerFactory;
import io.github.redisstreams.config.StreamListenerRegistry;
import io.github.redisstreams.listener.adapter.MethodHandlerFactory;
import io.github.redisstreams.publish.StreamTemplate;
import io.github.redisstreams.support.EntryMessageConverter;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.messaging.handler.invocation.HandlerMethodArgumentResolver;
import org.springframework.validation.Validator;

/**
 * What {@link EnableStreamListeners} adds to the context.
 */
@Configuration(proxyBeanMethods = false)
class StreamListenersConfiguration {

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	StreamListenerRegistry streamListenerRegistry() {
		return new StreamListenerRegistry();
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	StreamListenerProcessor streamListenerProcessor(ConfigurableListableBeanFactory beanFactory,
			StreamListenerRegistry registry, StreamListenerContainerFactory containerFactory,
			ObjectProvider<EntryMessageConverter> converter, ObjectProvider<StreamTemplate> template,
			ObjectProvider<Validator> validator, ObjectProvider<StreamListenerConfigurer> configurers) {
		List<HandlerMethodArgumentResolver> resolvers = new ArrayList<>();
		configurers.orderedStream().forEach((configurer) -> configurer.addArgumentResolvers(resolvers));
		MethodHandlerFactory handlers = new MethodHandlerFactory(
				converter.getIfAvailable(() -> new EntryMessageConverter(JsonMapper.shared())),
				template::getIfAvailable, validator.getIfUnique(), resolvers, beanFactory);
		return new StreamListenerProcessor(beanFactory, registry, containerFactory, handlers,
				configurers.orderedStream().toList());
	}

}
