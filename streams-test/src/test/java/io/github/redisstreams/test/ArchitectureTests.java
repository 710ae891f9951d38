package io.github.redisstreams.test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import org.jspecify.annotations.NullMarked;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

/**
 * The rules that keep the packages apart.
 */
@AnalyzeClasses(packages = "io.github.redisstreams.test", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTests {

	@ArchTest
	static final ArchRule onlyAutoconfigureKnowsSpringBoot = noClasses().that()
		.resideOutsideOfPackage("..autoconfigure..")
		.should()
		.dependOnClassesThat()
		.resideInAPackage("org.springframework.boot..");

	@ArchTest
	static final ArchRule noneKnowsAClientOfRedis = noClasses().should()
		.dependOnClassesThat()
		.resideInAnyPackage("io.lettuce..", "redis.clients..");

	@ArchTest
	static final ArchRule packagesHaveNoCycles = slices().matching("io.github.redisstreams.(**)")
		.should()
		.beFreeOfCycles();

	@ArchTest
	static final ArchRule autoConfigurationsAreFinalAndListed = classes().that()
		.areAnnotatedWith(AutoConfiguration.class)
		.should()
		.haveModifier(JavaModifier.FINAL)
		.andShould(ArchCondition.from(DescribedPredicate.describe("be listed in an imports file",
				(JavaClass type) -> listedAutoConfigurations().contains(type.getName()))));

	@ArchTest
	static final ArchRule packagesAreNullMarked = classes()
		.should(ArchCondition.from(DescribedPredicate.describe("be in a @NullMarked package",
				(JavaClass type) -> type.getPackage().isAnnotatedWith(NullMarked.class))));

	private static Set<String> listedAutoConfigurations() {
		try {
			Resource[] files = new PathMatchingResourcePatternResolver()
				.getResources("classpath*:META-INF/spring/io.github.redisstreams.test.autoconfigure.*.imports");
			return Arrays.stream(files).flatMap((file) -> content(file).lines()).collect(Collectors.toSet());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static String content(Resource file) {
		try {
			return file.getContentAsString(StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
