package io.github.redisstreams.observation;

import java.util.List;

import io.github.redisstreams.redis.StreamEntry;
import io.github.redisstreams.test.Entries;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class TraceParentTests {

	private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";

	private static final String OTHER_TRACE = "1af7651916cd43dd8448eb211c80319c";

	private static StreamEntry sentIn(String trace, String span) {
		return Entries.payload("x", "traceparent", "00-" + trace + "-" + span + "-01");
	}

	@Test
	void isReadFromTheField() {
		assertThat(TraceParent.of(sentIn(TRACE, "b7ad6b7169203331")))
			.isEqualTo(new TraceParent(TRACE, "b7ad6b7169203331", true));
		assertThat(TraceParent.of(Entries.entry("traceparent", "00-" + TRACE + "-b7ad6b7169203331-00")))
			.isEqualTo(new TraceParent(TRACE, "b7ad6b7169203331", false));
		assertThat(TraceParent.of(Entries.entry("traceparent", "01-" + TRACE + "-b7ad6b7169203331-03-more")))
			.isEqualTo(new TraceParent(TRACE, "b7ad6b7169203331", true));
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "yes", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
			"0af7651916cd43dd8448eb211c80319c+b7ad6b7169203331+01+0af7651916cd43dd8448eb211c80319c" })
	void whatIsNoneIsNoneWhoeverWroteIt(String text) {
		assertThat(TraceParent.of(Entries.entry("traceparent", text))).isNull();
		assertThat(TraceParent.of(Entries.payload("x"))).isNull();
		assertThat(TraceParent.of(Entries.binary("traceparent", Entries.NOT_UTF_8))).isNull();
	}

	@Test
	void oneEntryIsTheCarrierWhateverItHas() {
		StreamEntry entry = Entries.payload("x", "b3", "0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-1");
		assertThat(TraceParent.carrier(List.of(entry))).isSameAs(entry);
		assertThat(TraceParent.links(List.of(entry))).isEmpty();
	}

	@Test
	void theFirstIsTheCarrierIfAllAreOfOneTraceAndTheOthersAreLinked() {
		StreamEntry first = sentIn(TRACE, "000000000000000a");
		List<StreamEntry> entries = List.of(first, sentIn(TRACE, "000000000000000b"),
				sentIn(TRACE, "000000000000000a"));
		assertThat(TraceParent.carrier(entries)).isSameAs(first);
		assertThat(TraceParent.links(entries)).containsExactly(new TraceParent(TRACE, "000000000000000b", true));
	}

	@Test
	void noneIsTheCarrierIfTheyAreOfSeveralTracesAndAllAreLinked() {
		List<StreamEntry> entries = List.of(sentIn(TRACE, "000000000000000a"), sentIn(OTHER_TRACE, "000000000000000b"),
				sentIn(TRACE, "000000000000000a"));
		assertThat(TraceParent.carrier(entries).value("traceparent")).isNull();
		assertThat(TraceParent.links(entries)).containsExactly(new TraceParent(TRACE, "000000000000000a", true),
				new TraceParent(OTHER_TRACE, "000000000000000b", true));
	}

	@Test
	void noneIsTheCarrierIfSomeHaveNoTrace() {
		List<StreamEntry> entries = List.of(sentIn(TRACE, "000000000000000a"), Entries.payload("x"));
		assertThat(TraceParent.carrier(entries).value("payload")).isNull();
		assertThat(TraceParent.links(entries)).containsExactly(new TraceParent(TRACE, "000000000000000a", true));
		assertThat(TraceParent.carrier(List.of(Entries.payload("x"), Entries.payload("y"))).value("payload")).isNull();
	}

}
