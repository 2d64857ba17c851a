package io.csi4j.examples;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaPackage;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.GeneralCodingRules;
import java.lang.module.ModuleFinder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The boundaries of the house, held against the compiled modules. Beside each rule stands the class
 * that breaks it, so that no rule is one that cannot fail.
 */
class ArchitectureTest {

  private static final Map<String, Compiled> MODULES =
      Stream.of("csi-client", "mount-linux", "testkit", "testkit-cli", "volume-manager")
          .collect(
              Collectors.toMap(
                  Function.identity(), Compiled::module, (a, b) -> a, LinkedHashMap::new));

  private static final Set<String> TOUCHING =
      Set.of(
          "java.io.File",
          "java.io.FileInputStream",
          "java.io.FileOutputStream",
          "java.io.FileReader",
          "java.io.FileWriter",
          "java.io.PrintWriter",
          "java.io.RandomAccessFile",
          "java.lang.ProcessBuilder",
          "java.lang.Process",
          "java.lang.Runtime",
          "java.nio.channels.AsynchronousFileChannel",
          "java.nio.channels.FileChannel",
          "java.nio.file.FileStore",
          "java.nio.file.FileSystem",
          "java.nio.file.FileSystems",
          "java.nio.file.Files",
          "java.util.Scanner");

  private static final Set<String> HOUSE =
      MODULES.values().stream()
          .flatMap(module -> PublicApi.of(module).exported().stream())
          .collect(Collectors.toSet());

  private static final String GENERATED = "io.csi4j.client.internal.proto";
  private static final DescribedPredicate<JavaClass> WRITTEN =
      DescribedPredicate.not(resideInAPackage(GENERATED));

  private static final ArchRule REVEAL_ONLY_WHERE_THE_WIRE_IS_WRITTEN =
      noClasses()
          .that(
              DescribedPredicate.describe(
                  "are no mapping", type -> !isMapping(type) && !isSensitive(type)))
          .should()
          .accessTargetWhere(
              DescribedPredicate.describe(
                  "reveal() of a sensitive value", ArchitectureTest::isReveal))
          .because("secrets in clear go to the wire and nowhere else")
          .allowEmptyShould(true);

  private static final ArchRule NO_STANDARD_STREAMS =
      noClasses()
          .that()
          .doNotHaveFullyQualifiedName("io.csi4j.testkit.cli.Main")
          .should(GeneralCodingRules.ACCESS_STANDARD_STREAMS)
          .because(
              "standard output belongs to the host; csi4j logs through System.Logger, and only the"
                  + " main class of a program has the streams of its process")
          .allowEmptyShould(true);

  private static final ArchRule NO_SYNCHRONIZED_METHOD =
      methods()
          .that()
          .areDeclaredInClassesThat(WRITTEN)
          .should()
          .notHaveModifier(JavaModifier.SYNCHRONIZED)
          .because("a monitor held across a call pins the virtual thread that makes it")
          .allowEmptyShould(true);

  private static final ArchRule NO_MUTABLE_STATIC_FIELD =
      fields()
          .that()
          .areDeclaredInClassesThat(WRITTEN)
          .and()
          .areStatic()
          .should()
          .beFinal()
          .because("two connections in one process must not know of each other")
          .allowEmptyShould(true);

  /** What of the JDK asks the filesystem behind a path, and so waits for it if it hangs. */
  private static final DescribedPredicate<JavaClass> TOUCHES_FILES =
      DescribedPredicate.describe(
          "look at files or start programs",
          type ->
              type.getPackageName().startsWith("java.nio.file.attribute")
                  || type.getPackageName().startsWith("java.nio.file.spi")
                  || TOUCHING.contains(type.getName()));

  private static final ArchRule NOTHING_WAITS_FOR_A_VOLUME =
      noClasses()
          .that()
          .doNotHaveFullyQualifiedName("io.csi4j.mount.internal.proc.ProcFiles")
          .should()
          .dependOnClassesThat(TOUCHES_FILES)
          .orShould()
          .callMethodWhere(
              DescribedPredicate.describe(
                  "Path goes to the filesystem",
                  call ->
                      call.getTargetOwner().isEquivalentTo(Path.class)
                          && Set.of("toRealPath", "toFile", "register", "getFileSystem")
                              .contains(call.getName())))
          .because(
              "a call on a path at or below a dead or hung mount never comes back; only ProcFiles"
                  + " reads files, below /proc and /sys")
          .allowEmptyShould(true);

  @TempDir Path directory;

  static Set<String> modules() {
    return MODULES.keySet();
  }

  // The table of the house.

  @ParameterizedTest
  @FieldSource("io.csi4j.examples.Boundary#TABLE")
  void aModuleImportsWhatTheHouseAllowsIt(Boundary row) {
    row.rule().check(compiled(row.module()).classes());
  }

  @ParameterizedTest
  @FieldSource("io.csi4j.examples.Boundary#TABLE")
  void everyRowOfTheTableIsBrokenByAClassThatImportsIt(Boundary row) {
    List<String> sources = new ArrayList<>();
    List<String> broken = new ArrayList<>();
    for (int i = 0; i < row.forbidden().size(); i++) {
      String there = row.forbidden().get(i).replace("..", "") + ".there";
      sources.add("package %s; public class There {}".formatted(there));
      sources.add(
          "package %s.here; class Here%d { %s.There there; }".formatted(row.home(), i, there));
      broken.add(
          "Field <%s.here.Here%d.there> has type <%s.There>".formatted(row.home(), i, there));
    }

    assertThat(details(row, "broken", sources))
        .map(detail -> detail.replaceFirst(" in \\(.*", ""))
        .containsExactlyInAnyOrderElementsOf(broken);
  }

  private List<String> details(Boundary row, String name, List<String> sources) {
    Compiled compiled = Compiled.sources(directory.resolve(name), sources.toArray(String[]::new));
    return row.rule().evaluate(compiled.classes()).getFailureReport().getDetails();
  }

  @ParameterizedTest
  @FieldSource("io.csi4j.examples.Boundary#TABLE")
  void everyRoomOfTheTableMayImportWhatItIsThereFor(Boundary row) {
    String there = row.forbidden().get(0).replace("..", "") + ".there";
    List<String> sources = new ArrayList<>();
    sources.add("package %s; public class There {}".formatted(there));
    for (String room : row.room()) {
      sources.add(
          "package %s; class Here { %s.There there; }".formatted(room.replace("..", ""), there));
    }

    assertThat(details(row, "allowed", sources)).isEmpty();
  }

  @Test
  void theTableSpeaksOfEveryPublishedModule() {
    assertThat(Boundary.TABLE.stream().map(Boundary::module).distinct())
        .containsExactlyElementsOf(MODULES.keySet());
  }

  @Test
  void theModuleDescriptorsHaveTheNamesAndTheDirectionOfTheHouse() {
    Map<String, Set<String>> requires =
        MODULES.values().stream()
            .map(
                module ->
                    ModuleFinder.of(module.directory()).findAll().iterator().next().descriptor())
            .collect(
                Collectors.toMap(
                    descriptor -> descriptor.name(),
                    descriptor ->
                        descriptor.requires().stream()
                            .map(required -> required.name())
                            .filter(name -> name.startsWith("io.csi4j."))
                            .collect(Collectors.toSet())));

    assertThat(requires)
        .containsOnly(
            Map.entry("io.csi4j.client", Set.of()),
            Map.entry("io.csi4j.mount", Set.of()),
            Map.entry("io.csi4j.testkit", Set.of("io.csi4j.client", "io.csi4j.mount")),
            Map.entry("io.csi4j.testkit.cli", Set.of("io.csi4j.client", "io.csi4j.testkit")),
            Map.entry("io.csi4j.volume", Set.of("io.csi4j.client", "io.csi4j.mount")));
  }

  @ParameterizedTest
  @MethodSource("modules")
  void noModuleExportsItsInside(String name) {
    assertThat(PublicApi.of(compiled(name)).exported())
        .noneMatch(exported -> exported.contains(".internal"));
  }

  // What a module shows.

  @ParameterizedTest
  @MethodSource("modules")
  void noForeignTypeStandsInAnExportedSignature(String name) {
    assertThat(PublicApi.of(compiled(name)).foreignTypes(HOUSE))
        .filteredOn(shown -> !isForJUnit(shown))
        .isEmpty();
  }

  @Test
  void whatIsForJUnitShowsJUnitAndNothingElseDoes() {
    String shown = "io.csi4j.testkit.%s.Shown.method() returns %s";

    assertThat(isForJUnit(shown.formatted("junit", "org.junit.jupiter.api.DynamicNode"))).isTrue();
    assertThat(isForJUnit(shown.formatted("conformance", "org.junit.jupiter.api.DynamicNode")))
        .isTrue();
    assertThat(isForJUnit(shown.formatted("junit", "io.grpc.Status"))).isFalse();
    assertThat(isForJUnit(shown.formatted("referee", "org.junit.jupiter.api.DynamicNode")))
        .isFalse();
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
    assertThat(PublicApi.of(compiled(name)).adjacentStrings()).isEmpty();
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
  void valuesBehindSealedInterfacesAreHiddenOrRecordsInsideThem(String name) {
    assertThat(PublicApi.of(compiled(name)).openImplementations()).isEmpty();
  }

  @Test
  void anImplementationThatCanBeNamedIsFound() {
    PublicApi shown =
        shown(
            """
            package io.csi4j.shown;
            public sealed interface Shown permits Shown.Inside, Shown.Open, Beside {
              record Inside() implements Shown {}
              final class Open implements Shown {}
            }
            """,
            "package io.csi4j.shown; public record Beside() implements Shown {}");

    assertThat(shown.openImplementations())
        .containsExactlyInAnyOrder(
            "io.csi4j.shown.Shown$Open implements io.csi4j.shown.Shown",
            "io.csi4j.shown.Beside implements io.csi4j.shown.Shown");
  }

  // What the code of a module does.

  @ParameterizedTest
  @MethodSource("modules")
  void sensitiveValuesAreRevealedOnlyWhereTheWireIsWritten(String name) {
    REVEAL_ONLY_WHERE_THE_WIRE_IS_WRITTEN.check(compiled(name).classes());
  }

  @Test
  void revealingASensitiveValueAnywhereElseIsFound() {
    String leak =
        """
        package %s;
        class %s {
          Object call(io.csi4j.client.model.Secrets value) { return value.reveal(); }
          Object call(io.csi4j.client.model.MountFlags value) { return value.reveal(); }
          Object call(io.csi4j.client.model.VolumeContext value) { return value.reveal(); }
          java.util.function.Function<io.csi4j.client.model.PublishContext, Object> reference() {
            return io.csi4j.client.model.PublishContext::reveal;
          }
        }
        """;
    Compiled broken =
        Compiled.sources(
            directory,
            leak.formatted("io.csi4j.client.internal", "WireLog"),
            leak.formatted("io.csi4j.volume.internal", "LeakMapping"),
            leak.formatted("io.csi4j.testkit.referee", "WireLog"),
            leak.formatted("io.csi4j.testkit.internal.backend", "Volumes"),
            leak.formatted("io.csi4j.client.internal.mapping", "NodeMapping"));

    assertThat(
            REVEAL_ONLY_WHERE_THE_WIRE_IS_WRITTEN
                .evaluate(broken.classes())
                .getFailureReport()
                .getDetails())
        .hasSize(12)
        .allMatch(line -> line.contains("WireLog") || line.contains("LeakMapping"))
        .filteredOn(line -> line.contains("PublishContext.reveal"))
        .hasSize(3);
  }

  @ParameterizedTest
  @MethodSource("modules")
  void nothingIsPrintedToTheStreamsOfTheHost(String name) {
    NO_STANDARD_STREAMS.check(compiled(name).classes());
  }

  @Test
  void nothingInTheMountsWaitsForAVolume() {
    NOTHING_WAITS_FOR_A_VOLUME.check(compiled("mount-linux").classes());
  }

  @Test
  void whateverCouldWaitForAVolumeIsFound() {
    Compiled broken =
        Compiled.sources(
            directory,
            """
            package io.csi4j.mount.internal.table;
            import java.nio.file.*;
            class Waiting {
              boolean look(Path path) { return Files.exists(path); }
              Path follow(Path path) throws Exception { return path.toRealPath(); }
              java.io.File file(Path path) { return path.toFile(); }
              long size(java.io.File file) { return file.length(); }
              void fork() throws Exception { new ProcessBuilder("stat").start(); }
              Object open(String path) throws Exception { return new java.io.FileInputStream(path); }
            }
            """,
            """
            package io.csi4j.mount.internal.proc;
            class ProcFiles {
              Object open(String path) throws Exception { return new java.io.FileInputStream(path); }
            }
            """);

    assertThat(
            NOTHING_WAITS_FOR_A_VOLUME.evaluate(broken.classes()).getFailureReport().getDetails())
        .noneMatch(line -> line.contains("ProcFiles"))
        .anyMatch(line -> line.contains("Waiting.look") && line.contains("Files.exists"))
        .anyMatch(line -> line.contains("Waiting.follow") && line.contains("toRealPath"))
        .anyMatch(line -> line.contains("Waiting.file") && line.contains("toFile"))
        .anyMatch(line -> line.contains("Waiting.size") && line.contains("File.length"))
        .anyMatch(line -> line.contains("Waiting.fork") && line.contains("ProcessBuilder"))
        .anyMatch(line -> line.contains("Waiting.open") && line.contains("FileInputStream"));
  }

  @ParameterizedTest
  @MethodSource("modules")
  void noMethodIsSynchronized(String name) {
    NO_SYNCHRONIZED_METHOD.check(compiled(name).classes());
  }

  @ParameterizedTest
  @MethodSource("modules")
  void noStaticFieldCanBeAssigned(String name) {
    NO_MUTABLE_STATIC_FIELD.check(compiled(name).classes());
  }

  @Test
  void printingLockingAndStaticStateAreFound() {
    Compiled broken =
        Compiled.sources(
            directory,
            """
            package io.csi4j.shown;
            class Shown {
              static int counter;
              synchronized void locked() {}
              void printed() { System.out.println(counter); }
              void traced(Exception e) { e.printStackTrace(); }
            }
            """);

    assertThat(NO_STANDARD_STREAMS.evaluate(broken.classes()).getFailureReport().getDetails())
        .hasSize(2);
    assertThat(NO_SYNCHRONIZED_METHOD.evaluate(broken.classes()).getFailureReport().getDetails())
        .singleElement()
        .asString()
        .contains("locked");
    assertThat(NO_MUTABLE_STATIC_FIELD.evaluate(broken.classes()).getFailureReport().getDetails())
        .singleElement()
        .asString()
        .contains("counter");
  }

  @ParameterizedTest
  @MethodSource("modules")
  void everyPackageHasALabelOnItsDoorAndIsNullMarked(String name) {
    assertThat(unlabelled(compiled(name))).isEmpty();
    assertThat(compiled(name).classes()).isNotEmpty();
  }

  @Test
  void aPackageWithoutALabelIsFound() {
    Compiled broken =
        Compiled.sources(
            directory,
            "package io.csi4j.shown.none; class None {}",
            "package io.csi4j.shown.unmarked; class Unmarked {}",
            "@Deprecated package io.csi4j.shown.unmarked;",
            "package io.csi4j.shown.marked; class Marked {}",
            "@org.jspecify.annotations.NullMarked package io.csi4j.shown.marked;");

    assertThat(unlabelled(broken))
        .containsExactlyInAnyOrder("io.csi4j.shown.none", "io.csi4j.shown.unmarked");
  }

  private static Set<String> unlabelled(Compiled module) {
    return module.classes().stream()
        .map(JavaClass::getPackage)
        .filter(in -> !in.getName().equals(GENERATED))
        .filter(in -> !in.isAnnotatedWith(NullMarked.class))
        .map(JavaPackage::getName)
        .collect(Collectors.toSet());
  }

  private static boolean isReveal(JavaAccess<?> access) {
    return access.getName().equals("reveal") && isSensitive(access.getTargetOwner());
  }

  /**
   * Whether this is {@code Secrets} or one of the other types that show their content on demand.
   */
  private static boolean isSensitive(JavaClass type) {
    return type.isAssignableTo("io.csi4j.client.model.SensitiveMap")
        || type.getName().equals("io.csi4j.client.model.MountFlags");
  }

  /** Whether a foreign type is one of JUnit in a room that is there for JUnit. */
  private static boolean isForJUnit(String shown) {
    return shown.matches(
        "io\\.csi4j\\.testkit\\.(junit|conformance)\\..* org\\.junit\\.jupiter\\.api\\..*");
  }

  /**
   * Whether this is, or stands inside, a class of the client that writes messages, or one of the
   * testkit's inside: the other end of the wire, where secrets arrive in clear; or one of the three
   * classes of the volume manager that make a digest of mount flags, write a publish context down
   * with a claim, and write contexts and flags down with a volume.
   */
  private static boolean isMapping(JavaClass type) {
    JavaClass outermost = type;
    while (outermost.getEnclosingClass().isPresent()) {
      outermost = outermost.getEnclosingClass().get();
    }
    boolean writes =
        outermost.getPackageName().equals("io.csi4j.client.internal.mapping")
            && outermost.getSimpleName().endsWith("Mapping");
    return writes
        || outermost.getPackageName().startsWith("io.csi4j.testkit.internal.")
        || outermost.getName().equals("io.csi4j.volume.internal.record.FlagFacts")
        || outermost.getName().equals("io.csi4j.volume.internal.fields.ContextFields")
        || outermost.getName().equals("io.csi4j.volume.internal.fields.SensitiveFields");
  }

  private PublicApi shown(String... texts) {
    return new PublicApi(Compiled.sources(directory, texts), Set.of("io.csi4j.shown"));
  }

  private static Compiled compiled(String module) {
    return Objects.requireNonNull(MODULES.get(module), module);
  }
}
