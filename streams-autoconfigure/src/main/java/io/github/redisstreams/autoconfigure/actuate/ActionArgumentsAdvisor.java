package io.github.redisstreams.autoconfigure.actuate;

import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.InvocationContext;
import org.springframework.boot.actuate.endpoint.OperationArgumentResolver;
import org.springframework.boot.actuate.endpoint.OperationType;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvoker;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvokerAdvisor;
import org.springframework.boot.actuate.endpoint.invoke.OperationParameters;

/**
 * Gives an operation that has {@link ActionArguments} among its parameters all that a
 * request has sent. Otherwise it would get what it asks for by name, and not learn of the
 * rest, so that a misspelt bound of a purge would be none.
 */
final class ActionArgumentsAdvisor implements OperationInvokerAdvisor {

	@Override
	public OperationInvoker apply(EndpointId endpointId, OperationType operationType, OperationParameters parameters,
			OperationInvoker invoker) {
		if (parameters.stream().noneMatch((parameter) -> parameter.getType() == ActionArguments.class)) {
			return invoker;
		}
		return (context) -> invoker.invoke(withArguments(context));
	}

	private static InvocationContext withArguments(InvocationContext context) {
		SecurityContext security = context.resolveArgument(SecurityContext.class);
		return new InvocationContext((security != null) ? security : SecurityContext.NONE, context.getArguments(),
				OperationArgumentResolver.of(ActionArguments.class, () -> new ActionArguments(context.getArguments())));
	}

}
