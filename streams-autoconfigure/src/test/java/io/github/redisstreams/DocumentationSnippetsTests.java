package io.github.redisstreams;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

import com.sun.source.util.JavacTask;
import io.github.redisstreams.test.SnippetSurroundings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.fail;

/**
 * That what README.md and docs show as Java compiles.
 */
class DocumentationSnippetsTests {

	private static final Path ROOT = Path.of(System.getProperty("basedir", "")).resolve("..");

	/** As an application that uses the library has them. */
	private static final List<String> IMPORTS = List.of("java.time.*", "java.util.*", "java.util.concurrent.*",
			"java.util.function.*", "java.util.stream.*", "io.micrometer.common.*", "io.micrometer.core.instrument.*",
			"io.micrometer.observation.ObservationRegistry", "jakarta.validation.Valid",
			"jakarta.validation.constraints.*", "org.springframework.beans.factory.ObjectProvider",
			"org.springframework.beans.factory.annotation.*", "org.springframework.boot.autoconfigure.*",
			"org.springframework.boot.security.autoconfigure.actuate.web.servlet.EndpointRequest",
			"org.springframework.context.annotation.*", "org.springframework.context.event.EventListener",
			"org.springframework.dao.*", "org.springframework.data.redis.connection.RedisConnectionFactory",
			"org.springframework.data.redis.connection.lettuce.*", "org.springframework.data.redis.connection.stream.*",
			"org.springframework.data.redis.core.*", "org.springframework.http.HttpMethod",
			"org.springframework.messaging.*", "org.springframework.messaging.handler.annotation.*",
			"org.springframework.messaging.support.*", "org.springframework.security.config.Customizer",
			"org.springframework.security.config.annotation.web.builders.HttpSecurity",
			"org.springframework.security.web.SecurityFilterChain", "org.springframework.stereotype.*",
			"org.springframework.transaction.annotation.*", "org.springframework.transaction.support.*",
			"reactor.core.publisher.*", "tools.jackson.databind.json.*",
			"static " + SnippetSurroundings.class.getName() + ".*");

	/** As its tests have them. */
	private static final List<String> TEST_IMPORTS = List.of("org.junit.jupiter.api.BeforeEach",
			"org.junit.jupiter.api.Test", "org.springframework.boot.data.redis.test.autoconfigure.*",
			"org.springframework.boot.test.context.*", "org.springframework.test.context.bean.override.mockito.*",
			"static org.assertj.core.api.Assertions.assertThat", "static org.mockito.BDDMockito.then");

	private static final Path SOURCES = ROOT.resolve("streams-autoconfigure/src/main/java");

	/** Not on the class path, since it is built later. */
	private static final Path TEST_KIT_SOURCES = ROOT.resolve("streams-test/src/main/java");

	@ParameterizedTest(name = "{0}")
	@MethodSource("snippets")
	void compiles(Snippet snippet) throws IOException {
		compile(snippet);
	}

	static List<Snippet> snippets() throws IOException {
		List<Snippet> snippets = new ArrayList<>(in("README.md"));
		try (Stream<Path> files = Files.walk(ROOT.resolve("docs"))) {
			for (Path file : files.filter((file) -> file.toString().endsWith(".md")).sorted().toList()) {
				snippets.addAll(in(ROOT.relativize(file).toString()));
			}
		}
		return snippets;
	}

	private static List<Snippet> in(String document) throws IOException {
		return Snippet.in(document, Files.readAllLines(ROOT.resolve(document)));
	}

	@Test
	void aMistakeIsToldWithFileAndLine() {
		List<Snippet> snippets = Snippet.in("docs/x.md",
				List.of("```java", "int ok = 1;", "```", "- item", "  ```java", "  void handle(Order order) {",
						"  \torder.price();", "  }", "  ```", "```java", "int a = 1", "int b = 2;", "```"));
		assertThat(snippets).hasSize(3).first().satisfies(DocumentationSnippetsTests::compile);
		assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> compile(snippets.get(1)))
			.withMessageContaining("docs/x.md:7: cannot find symbol")
			.withMessageContaining("price()");
		assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> compile(snippets.get(2)))
			.withMessageContaining("docs/x.md:11: ';' expected");
	}

	private static void compile(Snippet snippet) throws IOException {
		List<Compilation> parsed = new ArrayList<>();
		for (Shape shape : Shape.values()) {
			Compilation compilation = new Compilation(snippet, shape);
			if (compilation.parses()) {
				compilation.compile();
				return;
			}
			parsed.add(compilation);
		}
		parsed.stream().max(Comparator.comparingLong(Compilation::firstProblem)).orElseThrow().failIfWrong();
	}

	/**
	 * What stands around a snippet, all in one line. The first that makes it valid syntax
	 * is taken.
	 */
	private enum Shape {

		TYPES("", ""),

		STATEMENTS("class Snippet extends Fields { void run() throws Exception {", "}}"),

		MEMBERS("class Snippet extends Fields {", "}"),

		EXPRESSION("class Snippet extends Fields { Object value() throws Exception { return", ";}}");

		private final String before;

		private final String after;

		Shape(String before, String after) {
			this.before = before;
			this.after = after;
		}

	}

	/**
	 * A block of a document.
	 *
	 * @param line the line before its code
	 */
	record Snippet(String document, int line, String code) {

		static List<Snippet> in(String document, List<String> lines) {
			List<Snippet> snippets = new ArrayList<>();
			for (int i = 0; i < lines.size(); i++) {
				String fence = lines.get(i).strip();
				if (fence.startsWith("```")) {
					int start = i + 1;
					int indent = lines.get(i).indexOf('`');
					do {
						i++;
						assertThat(i).as("%s:%d ends", document, start).isLessThan(lines.size());
					}
					while (!lines.get(i).strip().equals("```"));
					if (fence.substring(3).strip().toLowerCase(Locale.ROOT).startsWith("java")) {
						snippets.add(new Snippet(document, start,
								lines.subList(start, i)
									.stream()
									.map((line) -> line.substring(Math.min(indent, line.length())))
									.collect(Collectors.joining("\n"))));
					}
				}
			}
			return snippets;
		}

		@Override
		public String toString() {
			return this.document + ":" + this.line;
		}

	}

	/**
	 * A snippet in one shape.
	 */
	private static final class Compilation {

		private static final JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();

		private static final List<String> OPTIONS = List.of("--release", "17", "-proc:none",
				"-Xlint:deprecation,removal,rawtypes,unchecked", "-classpath", System.getProperty("java.class.path"));

		private static final List<String> TEST_OPTIONS = Stream
			.concat(OPTIONS.stream(), Stream.of("-sourcepath", TEST_KIT_SOURCES.toString()))
			.toList();

		private final DiagnosticCollector<JavaFileObject> problems = new DiagnosticCollector<>();

		private final Snippet snippet;

		private final JavacTask task;

		Compilation(Snippet snippet, Shape shape) throws IOException {
			this.snippet = snippet;
			boolean test = snippet.document().equals("docs/testing.md");
			String source = imports(test) + shape.before + "\n" + snippet.code() + "\n" + shape.after;
			this.task = (JavacTask) compiler.getTask(null, null, this.problems, test ? TEST_OPTIONS : OPTIONS, null,
					List.of(new Source(source)));
		}

		private static String imports(boolean test) throws IOException {
			List<String> names = new ArrayList<>(packages(SOURCES));
			names.addAll(IMPORTS);
			if (test) {
				names.addAll(packages(TEST_KIT_SOURCES));
				names.addAll(TEST_IMPORTS);
			}
			return names.stream().map((name) -> "import " + name + "; ").collect(Collectors.joining());
		}

		private static List<String> packages(Path sources) throws IOException {
			try (Stream<Path> files = Files.walk(sources)) {
				return files.filter((file) -> file.endsWith("package-info.java"))
					.map((file) -> sources.relativize(file.getParent()).toString().replaceAll("[/\\\\]", ".") + ".*")
					.toList();
			}
		}

		boolean parses() throws IOException {
			this.task.parse();
			return this.problems.getDiagnostics().isEmpty();
		}

		void compile() throws IOException {
			this.task.analyze();
			failIfWrong();
		}

		long firstProblem() {
			return this.problems.getDiagnostics().stream().mapToLong(Diagnostic::getPosition).min().orElse(0);
		}

		void failIfWrong() {
			if (!this.problems.getDiagnostics().isEmpty()) {
				fail(this.problems.getDiagnostics()
					.stream()
					.map(this::describe)
					.collect(Collectors.joining("\n\n", "The snippet does not compile:\n\n", "\n")));
			}
		}

		private String describe(Diagnostic<?> problem) {
			long line = Math.max(problem.getLineNumber() - 1, 0);
			List<String> code = this.snippet.code().lines().toList();
			return this.snippet.document() + ":" + (this.snippet.line() + line) + ": " + problem.getMessage(Locale.ROOT)
					+ ((line > 0 && line <= code.size()) ? "\n  > " + code.get((int) line - 1).strip() : "");
		}

	}

	/**
	 * Source text in memory, which may declare a public class of any name.
	 */
	private static final class Source extends SimpleJavaFileObject {

		private final String text;

		Source(String text) {
			super(URI.create("string:///Snippet.java"), Kind.SOURCE);
			this.text = text;
		}

		@Override
		public CharSequence getCharContent(boolean ignoreEncodingErrors) {
			return this.text;
		}

		@Override
		public boolean isNameCompatible(String simpleName, Kind kind) {
			return kind == Kind.SOURCE;
		}

	}

}
