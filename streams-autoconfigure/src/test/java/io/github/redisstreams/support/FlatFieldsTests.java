package io.github.redisstreams.support;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link FlatFields}.
 */
class FlatFieldsTests {

	private static Map<String, Object> tree(String... namesAndValues) {
		Map<String, String> fields = new LinkedHashMap<>();
		for (int i = 0; i < namesAndValues.length; i += 2) {
			fields.put(namesAndValues[i], namesAndValues[i + 1]);
		}
		return FlatFields.toTree(fields);
	}

	@Test
	void plainNamesStayAsTheyAre() {
		assertThat(tree("b", "2", "a", "1")).containsExactly(Map.entry("b", "2"), Map.entry("a", "1"));
	}

	@Test
	void dotsLeadIntoObjects() {
		assertThat(tree("to.city", "Rome", "to.at.floor", "3", "from", "x"))
			.isEqualTo(Map.of("to", Map.of("city", "Rome", "at", Map.of("floor", "3")), "from", "x"));
	}

	@Test
	void numbersInBracketsMakeAListInWhateverOrderTheyCome() {
		List<String> expected = List.of("a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k");
		assertThat(tree("t.[0]", "a", "t.[10]", "k", "t.[1]", "b", "t.[2]", "c", "t.[3]", "d", "t.[4]", "e", "t.[5]",
				"f", "t.[6]", "g", "t.[7]", "h", "t.[8]", "i", "t.[9]", "j"))
			.isEqualTo(Map.of("t", expected));
		assertThat(tree("t[1]", "b", "t[0]", "a")).isEqualTo(Map.of("t", List.of("a", "b")));
	}

	@Test
	void listsAndObjectsNest() {
		assertThat(tree("lines.[0].item", "book", "lines.[1].item", "pen", "lines.[1].tags.[0]", "blue")).isEqualTo(
				Map.of("lines", List.of(Map.of("item", "book"), Map.of("item", "pen", "tags", List.of("blue")))));
		assertThat(tree("rows[0][0]", "a", "rows[0][1]", "b", "rows[1][0]", "c"))
			.isEqualTo(Map.of("rows", List.of(List.of("a", "b"), List.of("c"))));
	}

	@Test
	void otherKeysInBracketsMakeAMapAndMayHaveDotsAndBrackets() {
		assertThat(tree("prices.[EUR]", "1", "prices.[U.S.$]", "2", "prices.[a[0]b]", "3", "prices.[x].net", "4"))
			.isEqualTo(Map.of("prices", Map.of("EUR", "1", "U.S.$", "2", "a[0]b", "3", "x", Map.of("net", "4"))));
	}

	@Test
	void numbersWithGapsMakeAMap() {
		assertThat(tree("stock.[3]", "a", "stock.[7]", "b")).isEqualTo(Map.of("stock", Map.of("3", "a", "7", "b")));
		assertThat(tree("stock.[0]", "a", "stock.[999999999]", "b"))
			.isEqualTo(Map.of("stock", Map.of("0", "a", "999999999", "b")));
	}

	@Test
	void classNamesAreLeftOut() {
		assertThat(tree("_class", "x.Y", "to._class", "x.Z", "t.[0]._class", "x.Z", "n", "1", "n._class", "x.Z",
				"@class", "x.Y", "to.@class", "x.Z", "t[0].@class", "x.Z", "to.city", "Rome"))
			.isEqualTo(Map.of("n", "1", "to", Map.of("city", "Rome")));
	}

	@Test
	void aNameThatIsAlsoThePathOfAnotherKeepsBoth() {
		assertThat(tree("a", "1", "a.b", "2")).isEqualTo(Map.of("a", "1", "a.b", "2"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "", ".", "..", ".a", "a.", "a..b", "a.[", "a[", "a.[]", "a[]", "a.[b", "[", "]", "[]" })
	void aNameThatIsNoPathStaysAsItIs(String name) {
		assertThat(tree(name, "1")).isEqualTo(Map.of(name, "1"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "a.", "[0].", "a[0]", "a.[0]." })
	void aNameOfAbsurdDepthStaysAsItIsAndCostsNothing(String part) {
		String name = part.repeat(100_000) + "a";
		assertThat(tree(name, "1")).isEqualTo(Map.of(name, "1"));
	}

	@Test
	@Timeout(value = 10, threadMode = ThreadMode.SEPARATE_THREAD)
	void aDeepTreeIsBuiltInReasonableTime() {
		String name = "a" + "[0]".repeat(98);
		assertThat(tree(name + ".x", "1", name + ".y", "2")).containsOnlyKeys("a");
	}

}
