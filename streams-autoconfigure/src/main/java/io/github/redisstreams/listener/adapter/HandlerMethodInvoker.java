package io.github.redisstreams.listener.adapter;

import java.lang.reflect.Method;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;

import io.github.redisstreams.publish.StreamTemplate;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.messaging.Message;
import org.springframework.messaging.MessageHandlingException;
import org.springframework.messaging.converter.MessageConversionException;
import org.springframework.messaging.handler.annotation.support.MessageHandlerMethodFactory;
import org.springframework.messaging.handler.invocation.InvocableHandlerMethod;

/**
 * Calls an annotated method, waits for its result if that comes later, and sends it on
 * where {@code @SendTo} says. Waiting keeps the handler slot taken, so that
 * {@code concurrency} bounds asynchronous handlers too.
 */
final class HandlerMethodInvoker {

	private final MessageHandlerMethodFactory methods;

	private final Supplier<Object> bean;

	private final Method method;

	private final @Nullable StreamTemplate template;

	private final List<String> replyStreams;

	private volatile @Nullable InvocableHandlerMethod latest;

	HandlerMethodInvoker(MessageHandlerMethodFactory methods, Supplier<Object> bean, Method method,
			@Nullable StreamTemplate template, List<String> replyStreams) {
		this.methods = methods;
		this.bean = bean;
		this.method = method;
		this.template = template;
		this.replyStreams = replyStreams;
	}

	void invoke(Message<?> message) throws Exception {
		Object result = awaitResult(call(message));
		if (result instanceof Collection<?> results) {
			results.forEach(this::reply);
		}
		else {
			reply(result);
		}
	}

	private @Nullable Object call(Message<?> message) throws Exception {
		try {
			return methodOf(this.bean.get()).invoke(message);
		}
		catch (MessageHandlingException ex) {
			// What Spring says of the message itself: it lacks a header that is required
			if (ex.getFailedMessage() == message) {
				throw new MessageConversionException(message, String.valueOf(ex.getMessage()), ex);
			}
			throw ex;
		}
	}

	// Looks at all annotations of the method, so not for each entry of a singleton
	private InvocableHandlerMethod methodOf(Object bean) {
		InvocableHandlerMethod invocable = this.latest;
		if (invocable == null || invocable.getBean() != bean) {
			invocable = this.methods.createInvocableHandlerMethod(bean, this.method);
			this.latest = invocable;
		}
		return invocable;
	}

	private static @Nullable Object awaitResult(@Nullable Object returned) throws Exception {
		CompletableFuture<?> future = toFuture(returned);
		if (future == null) {
			return returned;
		}
		try {
			return future.get();
		}
		catch (ExecutionException ex) {
			if (ex.getCause() instanceof Error error) {
				throw error;
			}
			throw (ex.getCause() instanceof Exception cause) ? cause : ex;
		}
	}

	private static @Nullable CompletableFuture<?> toFuture(@Nullable Object returned) {
		if (returned instanceof CompletionStage<?> stage) {
			return stage.toCompletableFuture();
		}
		ReactiveAdapter adapter = (returned != null)
				? ReactiveAdapterRegistry.getSharedInstance().getAdapter(returned.getClass()) : null;
		if (adapter == null) {
			return null;
		}
		Publisher<?> publisher = adapter.toPublisher(returned);
		Mono<?> result = adapter.isMultiValue() ? Flux.from(publisher).collectList() : Mono.from(publisher);
		// What belongs to this thread, such as the current observation, goes along to
		// others
		return result.contextCapture().toFuture();
	}

	private void reply(@Nullable Object result) {
		if (this.template != null && result != null) {
			for (String stream : this.replyStreams) {
				if (result instanceof Message<?> message) {
					this.template.send(stream, message);
				}
				else {
					this.template.send(stream, result);
				}
			}
		}
	}

}
