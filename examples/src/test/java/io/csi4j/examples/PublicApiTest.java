package io.csi4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The public and protected parts of what the modules export. Beside each rule stands the class that
 * breaks it.
 */
class PublicApiTest {

  @TempDir Path directory;

  static List<String> modules() {
    return PublishedModules.modules();
  }

  @ParameterizedTest
  @MethodSource("modules")
  void noForeignTypeStandsInAnExportedSignature(String name) {
    assertThat(
            PublicApi.of(PublishedModules.compiled(name)).foreignTypes(PublishedModules.exported()))
        .filteredOn(shown -> !isForJUnit(shown) && !isForTelemetry(shown) && !isClosed(shown))
        .isEmpty();
  }

  @Test
  void whatIsForJUnitShowsJUnitAndNothingElseDoes() {
    String shown = "io.csi4j.%s.method() returns %s";

    assertThat(
            isForJUnit(shown.formatted("testkit.junit.Shown", "org.junit.jupiter.api.DynamicNode")))
        .isTrue();
    assertThat(
            isForJUnit(shown.formatted("conformance.Shown", "org.junit.jupiter.api.DynamicNode")))
        .isTrue();
    assertThat(
            isForJUnit(
                shown.formatted("conformance.model.Shown", "org.junit.jupiter.api.DynamicNode")))
        .isFalse();
    assertThat(isForJUnit(shown.formatted("testkit.junit.Shown", "io.grpc.Status"))).isFalse();
    assertThat(
            isForJUnit(
                shown.formatted("testkit.referee.Shown", "org.junit.jupiter.api.DynamicNode")))
        .isFalse();
  }

  @Test
  void aBridgeTakesTheFrontDoorOfItsLibraryAndShowsNothingElseOfIt() {
    String registry = "io.micrometer.core.instrument.MeterRegistry";
    assertThat(
            isForTelemetry(
                "io.csi4j.micrometer.CsiMetrics.bindTo(%s) takes %s".formatted(registry, registry)))
        .isTrue();
    assertThat(isForTelemetry("io.csi4j.micrometer.CsiMetrics.timer() returns io.micrometer.Timer"))
        .isFalse();
    assertThat(isForTelemetry("io.csi4j.client.CsiPlugin.meter() returns " + registry)).isFalse();
  }

  @Test
  void aForeignTypeIsFoundWhereverASignatureHasOne() {
    PublicApi shown =
        shown(
            """
            package io.csi4j.shown;
            @lib.Marker
            public class Shown<T extends lib.Foreign> extends lib.Base implements lib.Face {
              public lib.Foreign field;
              protected java.util.List<? extends lib.Foreign[]> listed;
              public Shown(java.util.Map<String, lib.Foreign> parameter) {}
              public java.util.Optional<lib.Foreign> returned() { return null; }
              public <X extends lib.Failure> void generic() {}
              public void thrown() throws lib.Failure {}
              public void marked(@lib.Marker int parameter) {}
              @lib.Marker protected void markedItself() {}
              public static class Nested { public lib.Foreign nested() { return null; } }
            }
            """,
            "package lib; public class Foreign {}",
            "package lib; public class Base {}",
            "package lib; public interface Face {}",
            "package lib; public class Failure extends Exception {}",
            "package lib; public @interface Marker {}");

    assertThat(shown.foreignTypes(Set.of("io.csi4j.shown")))
        .containsExactlyInAnyOrder(
            "io.csi4j.shown.Shown extends lib.Base",
            "io.csi4j.shown.Shown implements lib.Face",
            "io.csi4j.shown.Shown has the bound lib.Foreign",
            "io.csi4j.shown.Shown is annotated with lib.Marker",
            "io.csi4j.shown.Shown.field is lib.Foreign",
            "io.csi4j.shown.Shown.listed is lib.Foreign",
            "io.csi4j.shown.Shown.<init>(java.util.Map) takes lib.Foreign",
            "io.csi4j.shown.Shown.returned() returns lib.Foreign",
            "io.csi4j.shown.Shown.generic() has the bound lib.Failure",
            "io.csi4j.shown.Shown.thrown() throws lib.Failure",
            "io.csi4j.shown.Shown.marked(int) has a parameter annotated with lib.Marker",
            "io.csi4j.shown.Shown.markedItself() is annotated with lib.Marker",
            "io.csi4j.shown.Shown$Nested.nested() returns lib.Foreign");
  }

  @Test
  void aForeignTypeIsFoundInWhatAPublicTypeInherits() {
    PublicApi shown =
        shown(
            "package io.csi4j.shown; class Hidden { public lib.Foreign inherited() { return null; }"
                + " }",
            "package io.csi4j.shown; public class Shown extends Hidden {}",
            "package lib; public class Foreign {}");

    assertThat(shown.foreignTypes(Set.of("io.csi4j.shown")))
        .containsExactly("io.csi4j.shown.Hidden.inherited() returns lib.Foreign");
  }

  @Test
  void aForeignTypeThatNobodySeesIsNoMatter() {
    PublicApi shown =
        shown(
            """
            package io.csi4j.shown;
            public class Shown {
              private lib.Foreign field;
              lib.Foreign method() { return field; }
              private static class Nested { public lib.Foreign nested() { return null; } }
            }
            """,
            "package io.csi4j.shown; class Hidden { public lib.Foreign method() { return null; } }",
            "package lib; public class Foreign {}");

    assertThat(shown.foreignTypes(Set.of("io.csi4j.shown"))).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("modules")
  void noPublicSignatureHasTwoStringsSideBySide(String name) {
    assertThat(PublicApi.of(PublishedModules.compiled(name)).adjacentStrings()).isEmpty();
  }

  @Test
  void twoStringsSideBySideAreFound() {
    PublicApi shown =
        shown(
            """
            package io.csi4j.shown;
            public record Shown(String left, String right) {
              public void apart(String left, int between, String right) {}
              public void beside(int before, String left, String right) {}
              void unseen(String left, String right) {}
            }
            """);

    assertThat(shown.adjacentStrings())
        .containsExactlyInAnyOrder(
            "io.csi4j.shown.Shown.<init>(java.lang.String, java.lang.String)"
                + " takes two strings side by side",
            "io.csi4j.shown.Shown.beside(int, java.lang.String, java.lang.String)"
                + " takes two strings side by side");
  }

  @ParameterizedTest
  @MethodSource("modules")
  void implementationsOfSealedInterfacesAreHiddenOrValuesInsideThem(String name) {
    assertThat(PublicApi.of(PublishedModules.compiled(name)).openImplementations()).isEmpty();
  }

  @Test
  void anImplementationThatCanBeNamedIsFound() {
    PublicApi shown =
        shown(
            """
            package io.csi4j.shown;
            public sealed interface Shown
                permits Shown.Inside, Shown.Built, Shown.Open, Beside, Hidden, Hidden.Deeper {
              record Inside() implements Shown {}
              final class Built implements Shown { private Built() {} }
              final class Open implements Shown {}
            }
            """,
            "package io.csi4j.shown; public record Beside() implements Shown {}",
            """
            package io.csi4j.shown;
            record Hidden() implements Shown {
              public record Deeper() implements Shown {}
            }
            """);

    assertThat(shown.openImplementations())
        .containsExactlyInAnyOrder(
            "io.csi4j.shown.Shown$Open implements io.csi4j.shown.Shown",
            "io.csi4j.shown.Beside implements io.csi4j.shown.Shown");
  }

  @ParameterizedTest
  @MethodSource("modules")
  void aModuleHasFewDoors(String name) {
    assertThat(PublicApi.of(PublishedModules.compiled(name)).publicTypes())
        .hasSizeLessThanOrEqualTo(55);
  }

  @Test
  void everyPublicTypeThatStandsInNoOtherIsADoor() {
    PublicApi shown =
        shown(
            "package io.csi4j.shown; public interface First { class Nested {} }",
            "package io.csi4j.shown; public record Second() {}",
            "package io.csi4j.shown; class Hidden {}",
            "package io.csi4j.shown.internal; public class Inside {}");

    assertThat(shown.publicTypes())
        .containsExactly("io.csi4j.shown.First", "io.csi4j.shown.Second");
  }

  /** Whether a foreign type is one of JUnit in a package that is there for JUnit. */
  private static boolean isForJUnit(String shown) {
    return shown.matches(
        "io\\.csi4j\\.(testkit\\.junit|conformance)\\.[A-Z].* org\\.junit\\.jupiter\\.api\\..*");
  }

  /** Whether a type that only modules of csi4j see keeps hosts from extending a class. */
  private static boolean isClosed(String shown) {
    String core = "io.csi4j.testkit.internal.server.PluginCore";
    return shown.equals("io.csi4j.testkit.TestPlugin.<init>(" + core + ") takes " + core);
  }

  /** Whether a foreign type is the one that a host hands to the entry point of a bridge to it. */
  private static boolean isForTelemetry(String shown) {
    return shown.matches(
            "io\\.csi4j\\.micrometer\\.CsiMetrics\\.bindTo\\(.*\\) takes"
                + " io\\.micrometer\\.core\\.instrument\\.MeterRegistry")
        || shown.matches(
            "io\\.csi4j\\.opentelemetry\\.CsiTracing\\.of\\(.*\\) takes"
                + " io\\.opentelemetry\\.api\\.OpenTelemetry");
  }

  private PublicApi shown(String... texts) {
    return new PublicApi(Compiled.sources(directory, texts), Set.of("io.csi4j.shown"));
  }
}
