package io.github.redisstreams.sample;

import java.util.Map;
import java.util.stream.Collectors;

import io.github.redisstreams.publish.StreamTemplate;
import jakarta.validation.Valid;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.connection.stream.RecordId;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.MethodArgumentNotValidException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/**
 * Takes orders over HTTP. Once an order is in the stream it is safe, so the answer does
 * not wait for its handling.
 */
@RestController
@RequestMapping("/orders")
class OrderController {

	private static final Logger logger = LoggerFactory.getLogger(OrderController.class);

	private final StreamTemplate streams;

	private final OrderStats stats;

	OrderController(StreamTemplate streams, OrderStats stats) {
		this.streams = streams;
		this.stats = stats;
	}

	@PostMapping
	@ResponseStatus(HttpStatus.ACCEPTED)
	Accepted order(@RequestBody @Valid Order order) {
		// The headers become fields of the entry, beside its payload
		RecordId id = this.streams.send("events", order, Map.of("source", "http"));
		return new Accepted(id.getValue());
	}

	@GetMapping("/stats")
	OrderStats.Counts stats() {
		return this.stats.counts();
	}

	@ExceptionHandler
	ProblemDetail onInvalidOrder(MethodArgumentNotValidException failure) {
		ProblemDetail problem = failure.getBody();
		problem.setDetail(failure.getFieldErrors()
			.stream()
			.map((error) -> error.getField() + " " + error.getDefaultMessage())
			.sorted()
			.collect(Collectors.joining(", ")));
		return problem;
	}

	@ExceptionHandler
	ProblemDetail onRedisFailure(DataAccessException failure) {
		logger.warn("An order was not confirmed by Redis: {}", failure.getMessage());
		return ProblemDetail.forStatusAndDetail(HttpStatus.SERVICE_UNAVAILABLE,
				"The order was not confirmed. Ordering again may order twice.");
	}

	/**
	 * The answer to an order.
	 *
	 * @param id the id of its entry in the stream
	 */
	record Accepted(String id) {

	}

}
