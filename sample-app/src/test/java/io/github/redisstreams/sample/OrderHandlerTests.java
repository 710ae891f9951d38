package io.github.redisstreams.sample;

import io.github.redisstreams.publish.StreamTemplate;
import io.github.redisstreams.test.StreamTester;
import io.github.redisstreams.test.autoconfigure.StreamListenerTest;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.BDDMockito.then;
import static org.mockito.Mockito.never;

/**
 * The listener alone, on a Redis of the test's own.
 */
@StreamListenerTest(listeners = OrderHandler.class,
		properties = { "sample.failure-rate=1", "sample.handling-time=0ms" })
@EnableConfigurationProperties(SampleProperties.class)
class OrderHandlerTests {

	@Autowired
	private StreamTemplate streams;

	@Autowired
	private StreamTester tester;

	@MockitoBean
	private OrderStats stats;

	@BeforeEach
	void clean() {
		this.tester.clean();
	}

	@Test
	void handlesAtTheSecondAttemptWhatFailsAtTheFirst() {
		this.streams.send("events", new Order("ada", "tea", 2));
		this.tester.awaitDrained("events");
		assertThat(this.tester.stream("events")).hasNoDeadLetters();
		then(this.stats).should().failed();
		then(this.stats).should().handled(2);
	}

	@Test
	void givesUpAtOnceWhatIsNotInStock() {
		this.streams.send("events", new Order("ada", "lamp", 500));
		this.tester.awaitDrained("events");
		assertThat(this.tester.stream("events")).deadLetters()
			.singleElement()
			.satisfies((letter) -> assertThat(letter.reason()).isEqualTo("There are no 500 of lamp"));
		then(this.stats).should(never()).handled(anyLong());
	}

	@Test
	void runsWithoutTheRestOfTheApplication(@Autowired ObjectProvider<OrderController> controller,
			@Autowired ObjectProvider<Reminders> reminders) {
		assertThat(controller.getIfAvailable()).isNull();
		assertThat(reminders.getIfAvailable()).isNull();
	}

}
