package io.github.redisstreams.test.shop;

import io.github.redisstreams.listener.failure.Failure;
import io.github.redisstreams.listener.failure.FailureHandler;
import io.github.redisstreams.listener.failure.Outcome;

import org.springframework.stereotype.Component;

/**
 * Never tries again what is too many.
 */
@Component
class RefuseTooMany implements FailureHandler {

	@Override
	public Outcome handle(Failure failure) {
		return (failure.cause() instanceof TooManyException) ? new Outcome.DeadLetter(failure.cause().getMessage())
				: failure.defaultOutcome();
	}

}
