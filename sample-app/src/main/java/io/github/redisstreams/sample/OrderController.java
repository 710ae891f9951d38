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
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/**
 * Takes orders over HTTP. Once an order is in the stream it is safe, so the answer does
 * not wait for its handling.
 */
@RestController
@RequestMapping("/orders")
class OrderController {

	private static final Logger logger = LoggerFactory.getLogger(OrderController.class);

	private final StreamTemplate streams;

	private final Reminders reminders;

	private final OrderStats stats;

	OrderController(StreamTemplate streams, Reminders reminders, OrderStats stats) {
		this.streams = streams;
		this.reminders = reminders;
		this.stats = stats;
	}

	@PostMapping
	@ResponseStatus(HttpStatus.ACCEPTED)
	Accepted order(@RequestBody @Valid Order order) {
		// The headers become fields of the entry, beside its payload
		RecordId id = this.streams.send("events", order, Map.of("source", "http"));
		this.reminders.schedule(id, order);
		return new Accepted(id.getValue(), "/orders/" + id.getValue() + "/reminder");
	}

	@GetMapping("/{id}/reminder")
	Reminders.Status reminder(@PathVariable String id) {
		return this.reminders.find(id)
			.orElseThrow(() -> new ResponseStatusException(HttpStatus.NOT_FOUND,
					"There is no reminder of an order " + id + ", or not any more"));
	}

	@DeleteMapping("/{id}/reminder")
	@ResponseStatus(HttpStatus.NO_CONTENT)
	void cancelReminder(@PathVariable String id) {
		if (!this.reminders.cancel(id)) {
			throw new ResponseStatusException(HttpStatus.CONFLICT,
					"It is too late to cancel the reminder, which is " + reminder(id).state());
		}
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
		logger.warn("A request was not confirmed by Redis: {}", failure.getMessage());
		return ProblemDetail.forStatusAndDetail(HttpStatus.SERVICE_UNAVAILABLE,
				"This was not confirmed. Ordering again may order twice.");
	}

	/**
	 * The answer to an order.
	 *
	 * @param id the id of its entry in the stream
	 * @param reminder where to see what becomes of its reminder, and to cancel it
	 */
	record Accepted(String id, String reminder) {

	}

}
