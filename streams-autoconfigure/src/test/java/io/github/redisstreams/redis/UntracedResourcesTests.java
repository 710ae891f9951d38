package io.github.redisstreams.redis;

import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.tracing.MicrometerTracing;
import io.micrometer.observation.ObservationRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class UntracedResourcesTests {

	private final ClientResources traced = ClientResources.builder()
		.tracing(new MicrometerTracing(ObservationRegistry.create(), "Redis"))
		.build();

	private final UntracedResources resources = new UntracedResources();

	@AfterEach
	void shutDown() {
		this.resources.close();
		this.traced.shutdown().awaitUninterruptibly();
	}

	@Test
	void areTheApplicationsWithoutTracing() {
		ClientResources untraced = this.resources.of(this.traced);
		assertThat(untraced.tracing().isEnabled()).isFalse();
		assertThat(this.traced.tracing().isEnabled()).isTrue();
		assertThat(untraced.eventLoopGroupProvider()).isSameAs(this.traced.eventLoopGroupProvider());
		assertThat(untraced.eventExecutorGroup()).isSameAs(this.traced.eventExecutorGroup());
		assertThat(untraced.timer()).isSameAs(this.traced.timer());
		assertThat(untraced.eventBus()).isSameAs(this.traced.eventBus());
		assertThat(untraced.nettyCustomizer()).isSameAs(this.traced.nettyCustomizer());
		assertThat(untraced.commandLatencyRecorder()).isSameAs(this.traced.commandLatencyRecorder());
		assertThat(untraced.socketAddressResolver()).isSameAs(this.traced.socketAddressResolver());
	}

	@Test
	void areMadeOnce() {
		assertThat(this.resources.of(this.traced)).isSameAs(this.resources.of(this.traced));
	}

	@Test
	void areTheApplicationsWhereNothingIsTraced() {
		ClientResources plain = ClientResources.create();
		try {
			assertThat(this.resources.of(plain)).isSameAs(plain);
		}
		finally {
			plain.shutdown().awaitUninterruptibly();
		}
	}

	@Test
	void leaveTheApplicationItsThreadsWhenTheyAreClosed() {
		ClientResources untraced = this.resources.of(this.traced);
		this.resources.close();
		assertThat(untraced.eventExecutorGroup().isShuttingDown()).isFalse();
		assertThat(this.traced.eventExecutorGroup().submit(() -> "alive").syncUninterruptibly().getNow())
			.isEqualTo("alive");
		assertThat(this.traced.eventLoopGroupProvider().threadPoolSize()).isPositive();
	}

}
