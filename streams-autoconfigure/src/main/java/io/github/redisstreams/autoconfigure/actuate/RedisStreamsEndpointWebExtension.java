package io.github.redisstreams.autoconfigure.actuate;

import java.util.Set;

import io.github.redisstreams.autoconfigure.actuate.ListenerReader.Reading;

import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;

/**
 * {@link EndpointWebExtension @EndpointWebExtension} of the {@link RedisStreamsEndpoint}:
 * knows who asks, and answers what cannot be done with a status and a reason.
 */
@EndpointWebExtension(endpoint = RedisStreamsEndpoint.class)
@RegisterReflectionForBinding({ ListenerDetailsDescriptor.class, ActionDescriptor.class, ErrorDescriptor.class })
public class RedisStreamsEndpointWebExtension {

	private static final int STATUS_ACCEPTED = 202;

	private final RedisStreamsEndpoint delegate;

	private final Show showValues;

	private final Set<String> roles;

	/**
	 * Create a new extension.
	 * @param delegate the endpoint
	 * @param showValues when to show values of dead letters
	 * @param roles who may see them if that depends on who asks; none for everybody who
	 * is known
	 */
	public RedisStreamsEndpointWebExtension(RedisStreamsEndpoint delegate, Show showValues, Set<String> roles) {
		this.delegate = delegate;
		this.showValues = showValues;
		this.roles = roles;
	}

	/**
	 * A listener, and what Redis tells of its stream, group and dead letters.
	 * @param securityContext who asks
	 * @param listenerId the listener's id
	 * @return the details; with status 503 where Redis does not serve, and 404 if there
	 * is no such listener
	 */
	@ReadOperation
	public WebEndpointResponse<OperationResponseBody> listener(SecurityContext securityContext,
			@Selector String listenerId) {
		Reading reading = this.delegate.read(listenerId, this.showValues.isShown(securityContext, this.roles));
		if (reading == null) {
			return notFound(listenerId);
		}
		return new WebEndpointResponse<>(reading.details(),
				reading.serving() ? WebEndpointResponse.STATUS_OK : WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE);
	}

	/**
	 * Act on a listener.
	 * @param securityContext who asks
	 * @param listenerId the listener's id
	 * @param arguments what to do
	 * @return what came of it; with status 202 where it is still under way, 404 if there
	 * is no such listener, 400 if it is not said what to do, 503 where Redis does not
	 * serve, and 500 where it refuses
	 */
	@WriteOperation
	public WebEndpointResponse<OperationResponseBody> perform(SecurityContext securityContext,
			@Selector String listenerId, ActionArguments arguments) {
		try {
			ActionDescriptor result = this.delegate.perform(listenerId, arguments.values(),
					securityContext.getPrincipal());
			if (result == null) {
				return notFound(listenerId);
			}
			return new WebEndpointResponse<>(result, (result.outcome() == ActionDescriptor.Outcome.UNDER_WAY)
					? STATUS_ACCEPTED : WebEndpointResponse.STATUS_OK);
		}
		catch (InvalidEndpointRequestException ex) {
			return error(String.valueOf(ex.getReason()), WebEndpointResponse.STATUS_BAD_REQUEST);
		}
		catch (ActionFailedException ex) {
			return error(String.valueOf(ex.getMessage()),
					ex.isUnavailable() ? WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE
							: WebEndpointResponse.STATUS_INTERNAL_SERVER_ERROR);
		}
	}

	private WebEndpointResponse<OperationResponseBody> notFound(String listenerId) {
		return error(this.delegate.unknown(listenerId), WebEndpointResponse.STATUS_NOT_FOUND);
	}

	private static WebEndpointResponse<OperationResponseBody> error(String error, int status) {
		return new WebEndpointResponse<>(new ErrorDescriptor(error), status);
	}

}
