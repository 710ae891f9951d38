package io.github.redisstreams.test.shop;

import java.io.Serial;

public class TooManyException extends RuntimeException {

	@Serial
	private static final long serialVersionUID = 1L;

	TooManyException(String message) {
		super(message);
	}

}
