package io.github.redisstreams.publish;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.github.redisstreams.redis.EntryId;
import io.github.redisstreams.redis.StreamCommands;
import io.github.redisstreams.support.EntryMessageConverter;
import io.github.redisstreams.test.Entries;
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
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.verifyNoInteractions;

/**
 * Tests for {@link DefaultStreamTemplate}.
 */
class DefaultStreamTemplateTests {

	private final StreamCommands commands = mock(StreamCommands.class);

	private final StreamTemplate template = new DefaultStreamTemplate(this.commands,
			new EntryMessageConverter(JsonMapper.shared()), (name) -> name.equals("results") ? "app:results" : name);

	private List<byte[]> fieldsSentTo(String key) {
		ArgumentCaptor<List<byte[]>> fields = ArgumentCaptor.captor();
		verify(this.commands).add(eq(key), fields.capture());
		return fields.getValue();
	}

	private void givenAReply() {
		given(this.commands.add(anyString(), any())).willReturn(CompletableFuture.completedFuture(new EntryId(7, 1)));
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
		given(this.commands.add(anyString(), any())).willReturn(CompletableFuture
			.failedFuture(new TransientDataAccessResourceException("OOM command not allowed (XADD on 'events')")));
		assertThatExceptionOfType(TransientDataAccessResourceException.class)
			.isThrownBy(() -> this.template.send("events", "x"))
			.withMessageContaining("OOM")
			.withMessageContaining("XADD on 'events'");
	}

	@Test
	void throwsWhatFailedBeforeAnythingWasSent() {
		given(this.commands.add(anyString(), any())).willThrow(new QueryTimeoutException("cannot connect"));
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
