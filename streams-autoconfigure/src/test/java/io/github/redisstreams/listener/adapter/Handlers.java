package io.github.redisstreams.listener.adapter;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;

import io.github.redisstreams.listener.Delivery;
import io.github.redisstreams.listener.EntryHandler;
import io.github.redisstreams.listener.ListenerOptions;
import io.github.redisstreams.publish.StreamTemplate;
import io.github.redisstreams.redis.EntryId;
import io.github.redisstreams.redis.StreamEntry;
import io.github.redisstreams.support.EntryMessageConverter;
import jakarta.validation.Validation;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.messaging.handler.invocation.HandlerMethodArgumentResolver;
import org.springframework.util.ReflectionUtils;
import org.springframework.validation.beanvalidation.SpringValidatorAdapter;

/**
 * Adapts the methods of a test's bean and calls them without a container.
 */
final class Handlers {

	private final Object bean;

	private final MethodHandlerFactory factory;

	private final List<EntryId> acknowledged = Collections.synchronizedList(new ArrayList<>());

	private List<String> replyStreams = List.of();

	Handlers(Object bean, @Nullable StreamTemplate template, HandlerMethodArgumentResolver... resolvers) {
		this.bean = bean;
		GenericApplicationContext context = new GenericApplicationContext();
		context.getEnvironment()
			.getPropertySources()
			.addFirst(new MapPropertySource("test", Map.of("app.header", "priority", "app.priority", "5")));
		context.refresh();
		this.factory = new MethodHandlerFactory(new EntryMessageConverter(JsonMapper.shared()), () -> template,
				new SpringValidatorAdapter(Validation.buildDefaultValidatorFactory().getValidator()),
				List.of(resolvers), context.getBeanFactory());
	}

	Handlers replyingTo(String... streams) {
		this.replyStreams = List.of(streams);
		return this;
	}

	EntryHandler adapt(String method) {
		Method found = Arrays.stream(ReflectionUtils.getDeclaredMethods(this.bean.getClass()))
			.filter((candidate) -> candidate.getName().equals(method))
			.findFirst()
			.orElseThrow();
		return this.factory.createHandler(() -> this.bean, this.bean.getClass(), found, this.replyStreams);
	}

	void call(String method, StreamEntry... entries) throws Exception {
		ListenerOptions options = ListenerOptions.builder()
			.stream("events")
			.group("workers")
			.consumer("one")
			.build("events", "test");
		adapt(method).handle(Arrays.stream(entries)
			.map((entry) -> new Delivery(options, entry,
					(delivery, outcome) -> this.acknowledged.add(delivery.entry().id())))
			.toList());
	}

	/**
	 * The entries that handlers have acknowledged by themselves.
	 */
	List<EntryId> acknowledged() {
		return List.copyOf(this.acknowledged);
	}

}
