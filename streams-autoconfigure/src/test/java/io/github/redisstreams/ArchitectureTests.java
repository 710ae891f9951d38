package io.github.redisstreams;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.stream.Collectors;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import org.jspecify.annotations.NullMarked;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.core.io.ClassPathResource;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

/**
 * The rules that keep the packages apart.
 */
@AnalyzeClasses(packages = "io.github.redisstreams", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTests {

	private static final String ROOT = "io.github.redisstreams";

	@ArchTest
	static final ArchRule onlyAutoconfigureKnowsSpringBoot = noClasses().that()
		.resideOutsideOfPackage("..autoconfigure..")
		.should()
		.dependOnClassesThat()
		.resideInAPackage("org.springframework.boot..");

	@ArchTest
	static final ArchRule onlyTheRedisPackageKnowsLettuce = noClasses().that()
		.resideOutsideOfPackage(ROOT + ".redis")
		.should()
		.dependOnClassesThat()
		.resideInAPackage("io.lettuce..");

	@ArchTest
	static final ArchRule connectionsOfSpringDataAreOpenedInTheRedisPackageAlone = noClasses().that()
		.resideOutsideOfPackage(ROOT + ".redis")
		.should()
		.dependOnClassesThat()
		.haveFullyQualifiedName("org.springframework.data.redis.connection.RedisConnection");

	@ArchTest
	static final ArchRule onlyMetricsAndObservationKnowMicrometer = noClasses().that()
		.resideOutsideOfPackages(ROOT + ".metrics", ROOT + ".autoconfigure.metrics", ROOT + ".observation",
				ROOT + ".autoconfigure.observation")
		.should()
		.dependOnClassesThat()
		.resideInAPackage("io.micrometer..");

	/** But for the age of a backlog, where the server does not tell the time. */
	@ArchTest
	static final ArchRule whatWritesToStreamsNeverAsksTheClockOfTheApplication = noClasses().that()
		.resideInAnyPackage(ROOT + ".publish", ROOT + ".redis")
		.and()
		.doNotHaveSimpleName("Replies")
		.should()
		.accessTargetWhere(DescribedPredicate.describe("is a clock of the application",
				(JavaAccess<?> access) -> isClock(access.getTarget())));

	@ArchTest
	static final ArchRule packagesHaveNoCycles = slices().matching(ROOT + ".(**)").should().beFreeOfCycles();

	@ArchTest
	static final ArchRule autoConfigurationsAreFinalAndListed = classes().that()
		.areAnnotatedWith(AutoConfiguration.class)
		.should()
		.haveModifier(JavaModifier.FINAL)
		.andShould(ArchCondition.from(DescribedPredicate.describe("be listed in the imports file",
				(JavaClass type) -> listedAutoConfigurations().contains(type.getName()))));

	@ArchTest
	static final ArchRule membersOfAutoConfigurationsArePackagePrivate = methods().that()
		.areDeclaredInClassesThat()
		.areAnnotatedWith(AutoConfiguration.class)
		.and(DescribedPredicate.describe("are not private",
				(JavaMethod method) -> !method.getModifiers().contains(JavaModifier.PRIVATE)))
		.should()
		.bePackagePrivate();

	@ArchTest
	static final ArchRule packagesAreNullMarked = classes()
		.should(ArchCondition.from(DescribedPredicate.describe("be in a @NullMarked package",
				(JavaClass type) -> type.getPackage().isAnnotatedWith(NullMarked.class))));

	private static boolean isClock(AccessTarget target) {
		JavaClass owner = target.getOwner();
		return switch (owner.getName()) {
			case "java.lang.System" -> target.getName().equals("currentTimeMillis");
			case "java.time.Clock" -> true;
			case "java.util.Date", "java.util.GregorianCalendar" -> target.getName().equals("<init>");
			case "java.util.Calendar" -> target.getName().equals("getInstance");
			default -> owner.getPackageName().equals("java.time") && target.getName().equals("now");
		};
	}

	private static Set<String> listedAutoConfigurations() {
		try {
			return new ClassPathResource("META-INF/spring/" + AutoConfiguration.class.getName() + ".imports")
				.getContentAsString(StandardCharsets.UTF_8)
				.lines()
				.collect(Collectors.toSet());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
