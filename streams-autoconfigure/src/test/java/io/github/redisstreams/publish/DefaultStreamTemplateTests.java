package io.github.redisstreams.publish;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.github.redisstreams.redis.Added;
import io.github.redisstreams.redis.EntryId;
import io.github.redisstreams.redis.NewEntry;
import io.github.redisstreams.redis.PublishCommands;
import io.github.redisstreams.support.EntryMessageConverter;
import io.github.redisstreams.test.Entries;
import io.github.redisstreams.test.StubCommands;
import org.junit.jupiter.api.Test;
import org.mockito.ArgumentCaptor;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.dao.QueryTimeoutException;
import org.springframework.dao.TransientDataAccessResourceException;
import org.springframework.data.redis.connection.stream.RecordId;
import org.springframework.messaging.converter.MessageConversionException;
import org.springframework.messaging.support.MessageBuilder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.verifyNoInteractions;

/**
 * Tests for {@link DefaultStreamTemplate}.
 */
class DefaultStreamTemplateTests {

	private final PublishCommands commands = mock(PublishCommands.class);

	private final StreamTemplate template = new DefaultStreamTemplate(new StubCommands() {

		@Override
		public PublishCommands publishing() {
			return DefaultStreamTemplateTests.this.commands;
		}

	}, new EntryMessageConverter(JsonMapper.shared()), new PublisherSettings() {

		@Override
		public String streamKey(String name) {
			return name.equals("results") ? "app:results" : name;
		}

	}, new PublishEvents() {
	});

	private List<byte[]> fieldsSentTo(String key) {
		ArgumentCaptor<NewEntry> entry = ArgumentCaptor.captor();
		verify(this.commands).add(entry.capture());
		assertThat(entry.getValue().stream()).isEqualTo(key);
		return entry.getValue().namesAndValues();
	}

	private void givenAReply() {
		given(this.commands.add(any()))
			.willReturn(CompletableFuture.completedFuture(new Added(new EntryId(7, 1), null, null, 0)));
	}

	@Test
	void returnsTheIdThatTheServerGave() {
		givenAReply();
		assertThat(this.template.send("events", "x")).isEqualTo(RecordId.of("7-1"));
	}

	@Test
	void sendsToTheKeyThatTheNameStandsFor() {
		givenAReply();
		this.template.send("results", "x");
		assertThat(fieldsSentTo("app:results")).containsExactly(Entries.bytes("payload"), Entries.bytes("x"));
	}

	@Test
	void sendsHeadersAsFieldsAfterThePayload() {
		givenAReply();
		this.template.send("events", Map.of("n", 1), Map.of("id", "order-7"));
		assertThat(fieldsSentTo("events")).containsExactly(Entries.bytes("payload"), Entries.bytes("{\"n\":1}"),
				Entries.bytes("id"), Entries.bytes("order-7"));
	}

	@Test
	void sendsAMessageWithoutWhatSpringAddsToIt() {
		givenAReply();
		this.template.send("events", MessageBuilder.withPayload("x").setHeader("priority", 3).build());
		assertThat(fieldsSentTo("events")).containsExactly(Entries.bytes("payload"), Entries.bytes("x"),
				Entries.bytes("priority"), Entries.bytes("3"));
	}

	@Test
	void throwsWhatRedisRepliedAsADataAccessException() {
		given(this.commands.add(any())).willReturn(CompletableFuture
			.failedFuture(new TransientDataAccessResourceException("OOM command not allowed (XADD on 'events')")));
		assertThatExceptionOfType(TransientDataAccessResourceException.class)
			.isThrownBy(() -> this.template.send("events", "x"))
			.withMessageContaining("OOM")
			.withMessageContaining("XADD on 'events'");
	}

	@Test
	void throwsWhatFailedBeforeAnythingWasSent() {
		given(this.commands.add(any())).willThrow(new QueryTimeoutException("cannot connect"));
		assertThatExceptionOfType(QueryTimeoutException.class).isThrownBy(() -> this.template.send("events", "x"));
	}

	@Test
	void aPayloadThatCannotBeWrittenIsNotSent() {
		Map<String, Object> endless = new HashMap<>();
		endless.put("self", endless);
		assertThatExceptionOfType(MessageConversionException.class)
			.isThrownBy(() -> this.template.send("events", endless));
		verifyNoInteractions(this.commands);
	}

}
