package io.csi4j.examples;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaPackage;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.GeneralCodingRules;
import io.csi4j.examples.redis.RedisStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The boundaries of csi4j, and the rules for its code, held against the compiled modules. Beside
 * each rule stands the class that breaks it, so that no rule is one that cannot fail.
 */
class ArchitectureTest {

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
          .should()
          .notHaveModifier(JavaModifier.SYNCHRONIZED)
          .because("a monitor held across a call pins the virtual thread that makes it")
          .allowEmptyShould(true);

  private static final ArchRule NO_MUTABLE_STATIC_FIELD =
      fields()
          .that()
          .areStatic()
          .should()
          .beFinal()
          .because("two connections in one process must not know of each other")
          .allowEmptyShould(true);

  private static final ArchRule ONE_BASE_FOR_MESSAGES =
      classes()
          .that()
          .areAssignableTo(Throwable.class)
          .and(
              DescribedPredicate.describe(
                  "carry an operator's message",
                  type ->
                      type.getAllMethods().stream()
                          .anyMatch(method -> method.getName().equals("operatorMessage"))))
          .should()
          .beAssignableTo("io.csi4j.volume.model.OperatorException")
          .because("a host that tells its operators catches once")
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

  private static final ArchRule NO_QUALIFIED_EXPORT =
      noClasses()
          .should()
          .dependOnClassesThat(
              DescribedPredicate.describe(
                  "are in packages that not everybody may use", ArchitectureTest::isInside))
          .because("a store for another server is written with exported packages alone");

  @TempDir static Path shared;
  @TempDir Path directory;

  static List<String> modules() {
    return PublishedModules.modules();
  }

  // The table of csi4j.

  @Test
  void theTableSpeaksOfEveryPublishedModule() throws IOException {
    List<String> built =
        Files.readAllLines(PublishedModules.ROOT.resolve("pom.xml")).stream()
            .map(String::strip)
            .filter(line -> line.startsWith("<module>"))
            .map(line -> line.replaceAll("</?module>", ""))
            .filter(module -> !module.startsWith("examples") && !module.startsWith("testing/"))
            .filter(module -> !Set.of("benchmarks", "bom", "module-parent").contains(module))
            .toList();

    assertThat(PublishedModules.modules()).containsExactlyInAnyOrderElementsOf(built);
    assertThat(Boundary.TABLE.stream().flatMap(row -> row.modules().stream()).distinct())
        .containsExactlyInAnyOrderElementsOf(built);
  }

  @ParameterizedTest
  @FieldSource("io.csi4j.examples.Boundary#TABLE")
  void modulesImportWhatTheHouseAllowsThem(Boundary row) {
    row.modules().forEach(module -> row.rule().check(PublishedModules.compiled(module).classes()));
  }

  @ParameterizedTest
  @FieldSource("io.csi4j.examples.Boundary#TABLE")
  void everyRowOfTheTableIsBrokenByAClassThatImportsIt(Boundary row) {
    BoundarySamples samples = BoundarySamples.in(shared);

    assertThat(row.rule().evaluate(samples.breaking(row)).getFailureReport().getDetails())
        .map(detail -> detail.replaceFirst(" in \\(.*", ""))
        .containsExactlyInAnyOrderElementsOf(samples.broken(row));
  }

  @ParameterizedTest
  @FieldSource("io.csi4j.examples.Boundary#TABLE")
  void everyRoomOfTheTableMayImportWhatItIsThereFor(Boundary row) {
    JavaClasses allowed = BoundarySamples.in(shared).allowed(row);

    assertThat(allowed).hasSameSizeAs(row.allowed());
    assertThat(row.rule().evaluate(allowed).getFailureReport().getDetails()).isEmpty();
  }

  // What the code of a module does.

  @ParameterizedTest
  @MethodSource("modules")
  void sensitiveValuesAreRevealedOnlyWhereTheWireIsWritten(String name) {
    REVEAL_ONLY_WHERE_THE_WIRE_IS_WRITTEN.check(PublishedModules.compiled(name).classes());
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
    NO_STANDARD_STREAMS.check(PublishedModules.compiled(name).classes());
  }

  @Test
  void nothingInTheMountsWaitsForAVolume() {
    NOTHING_WAITS_FOR_A_VOLUME.check(PublishedModules.compiled("mount-linux").classes());
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

  private static boolean isInside(JavaClass type) {
    String name = type.getPackageName();
    return name.startsWith("io.csi4j.")
        && !name.startsWith("io.csi4j.examples")
        && !PublishedModules.exported().contains(name);
  }

  @Test
  void theStoreInRedisIsWrittenWithExportedPackagesAlone() {
    JavaClasses store =
        new ClassFileImporter()
            .importUrl(RedisStore.class.getProtectionDomain().getCodeSource().getLocation())
            .that(JavaClass.Predicates.resideInAPackage("io.csi4j.examples.redis"));
    assertThat(store.contain("io.csi4j.examples.redis.RedisStore")).isTrue();
    NO_QUALIFIED_EXPORT.check(store);
  }

  @Test
  void aStoreThatUsesAnInternalPackageIsFound() {
    Compiled broken =
        Compiled.sources(
            directory,
            """
            package io.csi4j.examples.redis;
            class Store {
              io.csi4j.volume.store.RecordKey key;
              io.csi4j.volume.internal.time.Rounds rounds;
            }
            """);

    assertThat(NO_QUALIFIED_EXPORT.evaluate(broken.classes()).getFailureReport().getDetails())
        .singleElement()
        .asString()
        .contains("Store.rounds", "io.csi4j.volume.internal.time.Rounds");
  }

  @ParameterizedTest
  @MethodSource("modules")
  void noMethodIsSynchronized(String name) {
    NO_SYNCHRONIZED_METHOD.check(PublishedModules.compiled(name).classes());
  }

  @ParameterizedTest
  @MethodSource("modules")
  void noStaticFieldCanBeAssigned(String name) {
    NO_MUTABLE_STATIC_FIELD.check(PublishedModules.compiled(name).classes());
  }

  @ParameterizedTest
  @MethodSource("modules")
  void whatCarriesAnOperatorsMessageHasOneBase(String name) {
    ONE_BASE_FOR_MESSAGES.check(PublishedModules.compiled(name).classes());
  }

  @Test
  void aFailureWithAMessageOfItsOwnIsFound() {
    Compiled broken =
        Compiled.sources(
            directory,
            """
            package io.csi4j.shown;
            class LostException extends RuntimeException {
              String operatorMessage() { return "lost"; }
            }
            """);

    assertThat(ONE_BASE_FOR_MESSAGES.evaluate(broken.classes()).getFailureReport().getDetails())
        .singleElement()
        .asString()
        .contains("LostException");
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
    assertThat(unlabelled(PublishedModules.compiled(name))).isEmpty();
    assertThat(PublishedModules.compiled(name).classes()).isNotEmpty();
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

  /** To what is left out of the rules nobody adds, and only the client speaks gRPC in it. */
  @Test
  void whatIsLeftOutIsGeneratedAndOnlyTheClientHasServicesInIt() throws IOException {
    List<String> written = new ArrayList<>();
    List<String> services = new ArrayList<>();
    for (String module : PublishedModules.modules()) {
      written.addAll(
          leftOut(PublishedModules.ROOT.resolve(module).resolve("src/main/java"), ".java"));
      if (!leftOut(Compiled.directoryOf(module), "Grpc.class").isEmpty()) {
        services.add(module);
      }
    }
    assertThat(written).isEmpty();
    assertThat(services).containsExactly("csi-client/client");
    assertThat(leftOut(Compiled.directoryOf("csi-client/client"), ".class"))
        .hasSizeGreaterThan(100);
  }

  private static List<String> leftOut(Path directory, String end) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      return files
          .map(Path::toString)
          .filter(file -> file.endsWith(end) && PublishedModules.GENERATED.matcher(file).matches())
          .toList();
    }
  }

  private static Set<String> unlabelled(Compiled module) {
    return module.classes().stream()
        .map(JavaClass::getPackage)
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

  /**
   * Whether this is, or stands inside, a class of the client that writes messages, or one of the
   * testkit's inside: the other end of the wire, where secrets arrive in clear; or one of the
   * classes of the volume manager that make a digest of mount flags, hold them against the host's
   * policy, write contexts and flags down with a claim or a volume, and look whether a context has
   * a name that csi4j has made.
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
        || outermost.getPackageName().startsWith("io.csi4j.conformance.internal.")
        || outermost.getName().equals("io.csi4j.volume.internal.record.Digests")
        || outermost.getName().equals("io.csi4j.volume.model.MountFlagPolicy")
        || outermost.getName().equals("io.csi4j.volume.model.SelinuxLabel")
        || outermost.getName().equals("io.csi4j.volume.internal.catalog.ClusterNames")
        || outermost.getName().equals("io.csi4j.volume.internal.fields.StoredParts");
  }
}
