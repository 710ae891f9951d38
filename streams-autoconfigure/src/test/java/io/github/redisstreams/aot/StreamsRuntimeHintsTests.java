package io.github.redisstreams.aot;

import java.io.IOException;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.beans.factory.aot.AotServices;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.aot.hint.predicate.RuntimeHintsPredicates.resource;

class StreamsRuntimeHintsTests {

	private final RuntimeHints hints = new RuntimeHints();

	@BeforeEach
	void registerHintsOfThisLibrary() {
		AotServices.factories()
			.load(RuntimeHintsRegistrar.class)
			.stream()
			.filter(StreamsRuntimeHints.class::isInstance)
			.forEach((registrar) -> registrar.registerHints(this.hints, getClass().getClassLoader()));
	}

	@Test
	void keepsEveryScript() throws IOException {
		Resource[] scripts = new PathMatchingResourcePatternResolver()
			.getResources("classpath*:io/github/redisstreams/**/*.lua");
		assertThat(scripts).hasSizeGreaterThan(10).allSatisfy((script) -> {
			String path = script.getURL().getPath();
			assertThat(resource().forResource(path.substring(path.lastIndexOf("io/github/redisstreams"))))
				.accepts(this.hints);
		});
	}

	@Test
	void keepsNoClassFiles() {
		assertThat(resource().forResource("io/github/redisstreams/redis/LuaScript.class")).rejects(this.hints);
	}

}
