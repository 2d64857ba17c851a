package io.csi4j.mount;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.io.TempDir;

/**
 * The mounts used by a host of their own, which is compiled here and runs in its own JVM: as a
 * module and on the class path, without a warning, and without native access.
 */
class ModulePathTest {

  private static final String FOREIGN = "java.lang.foreign came with Java 22";

  private static final String HOST_MODULE = "module host { requires io.csi4j.mount; }";

  private static final String HOST_MAIN =
      """
      package host;

      import io.csi4j.mount.model.MountException;
      import io.csi4j.mount.model.MountPath;
      import io.csi4j.mount.MountCapabilities;
      import io.csi4j.mount.MountTable;

      public class Main {
        public static void main(String[] args) {
          System.out.println(MountPath.class.getModule());
          System.out.println(MountTable.system().list().at(MountPath.ROOT).isPresent());
          try {
            System.out.println(MountTable.system().probe(MountPath.ROOT).isMount());
            System.out.println(MountCapabilities.system().binding());
          } catch (MountException refused) {
            System.out.println(refused.reason());
            System.out.println(refused.getMessage());
          }
        }
      }
      """;

  @TempDir Path directory;

  @BeforeEach
  void compileTheHost() throws Exception {
    Path sources = Files.createDirectories(directory.resolve("sources/host"));
    Path module = Files.writeString(sources.resolveSibling("module-info.java"), HOST_MODULE);
    Path main = Files.writeString(sources.resolve("Main.java"), HOST_MAIN);
    List<String> options =
        List.of("-d", host().toString(), "--module-path", mountsAndTheirNeeds(), "-Xlint:all");
    List<String> command = new ArrayList<>();
    command.add(tool("javac"));
    command.addAll(options);
    command.addAll(List.of(module.toString(), main.toString()));
    assertThat(run(command)).isEmpty();
  }

  @Test
  void aHostThatIsAModuleSeesMountsWithoutAWarning() throws Exception {
    assertThat(runModule(access("io.csi4j.mount")))
        .containsExactly("module io.csi4j.mount", "true", "true", binding());
  }

  @Test
  void aHostOnTheClassPathSeesMountsWithoutAWarning() throws Exception {
    assertThat(runClass(access("ALL-UNNAMED"), mountsAndTheirNeeds()).subList(1, 4))
        .containsExactly("true", "true", binding());
  }

  @Tag("campaign")
  @Test
  void aHostWhoseNativeLibraryCannotBeLoadedStillListsTheTable() throws Exception {
    List<String> unloadable = new ArrayList<>(access("com.sun.jna"));
    unloadable.add("-Djna.nounpack=true");
    unloadable.add("-Djna.nosys=true");
    unloadable.add("-Djna.boot.library.path=/nowhere");

    List<String> said = runModule(unloadable);

    assertThat(said.subList(0, 3))
        .containsExactly("module io.csi4j.mount", "true", "NO_NATIVE_ACCESS");
    assertThat(said.get(3))
        .startsWith(
            "System calls cannot be made from this JVM: java.lang.foreign: " + whyNotForeign())
        .contains("; JNA: java.lang.UnsatisfiedLinkError: ")
        .endsWith("or install it (-Djna.boot.library.path=...).");
  }

  @Tag("campaign")
  @Test
  void permissionThatOnlyJnaWasGivenIsMadeUseOf() throws Exception {
    assertThat(runModule(access("com.sun.jna")))
        .containsExactly("module io.csi4j.mount", "true", "true", "JNA: " + whyNotForeign());
  }

  @Tag("campaign")
  @Test
  @EnabledForJreRange(minVersion = 22, disabledReason = FOREIGN)
  void withoutJnaMountsAreSeenAllTheSame() throws Exception {
    List<String> said = runClass(access("ALL-UNNAMED"), mountsAnd("/jspecify/"));

    assertThat(said.subList(1, 4)).containsExactly("true", "true", "java.lang.foreign");
  }

  @Tag("campaign")
  @Test
  @EnabledForJreRange(minVersion = 22, disabledReason = FOREIGN)
  void noClassOfJnaIsLoadedWhereItIsNotUsed() throws Exception {
    List<String> options = new ArrayList<>(access("io.csi4j.mount"));
    options.add("-Xlog:class+load");

    List<String> said = runModule(options);

    assertThat(said).contains("java.lang.foreign");
    assertThat(said).anyMatch(line -> line.contains(" io.csi4j.mount.internal.ForeignLibc "));
    assertThat(said).noneMatch(line -> line.contains("com.sun.jna"));
  }

  @Tag("campaign")
  @Test
  @EnabledForJreRange(minVersion = 22, disabledReason = FOREIGN)
  void theBindingThatIsAskedForIsTheOne() throws Exception {
    List<String> options = new ArrayList<>(access("ALL-UNNAMED"));
    options.add("-Dcsi4j.mount.binding=jna");

    assertThat(runClass(options, mountsAndTheirNeeds()))
        .endsWith("JNA: -Dcsi4j.mount.binding=jna asks for it");
  }

  @Tag("campaign")
  @Test
  void aBindingThatIsAskedForHasNoOtherInItsPlace() throws Exception {
    List<String> options = new ArrayList<>(access("ALL-UNNAMED"));
    options.add("-Dcsi4j.mount.binding=jna");

    List<String> said = runClass(options, mountsAnd("/jspecify/"));

    assertThat(said.get(2)).isEqualTo("NO_NATIVE_ACCESS");
    assertThat(said.get(3))
        .startsWith(
            "System calls cannot be made from this JVM: -Dcsi4j.mount.binding=jna:"
                + " java.lang.NoClassDefFoundError: com/sun/jna/");
  }

  @Tag("campaign")
  @Test
  @EnabledForJreRange(minVersion = 24, disabledReason = "nothing is refused before Java 24")
  void whereAllNativeAccessIsRefusedBothRefusalsAreTold() throws Exception {
    List<String> said = runModule(List.of("--illegal-native-access=deny"));

    assertThat(said.get(2)).isEqualTo("NO_NATIVE_ACCESS");
    assertThat(said.get(3))
        .startsWith(
            "System calls cannot be made from this JVM: java.lang.foreign:"
                + " java.lang.IllegalCallerException: ")
        .contains("; JNA: java.lang.IllegalCallerException: ");
  }

  private static boolean hasForeign() {
    return Runtime.version().feature() >= 22;
  }

  private static String binding() {
    return hasForeign() ? "java.lang.foreign" : "JNA: " + whyNotForeign();
  }

  private static String whyNotForeign() {
    return hasForeign()
        ? "this JVM was started without --enable-native-access=io.csi4j.mount"
        : FOREIGN + ", and this is " + Runtime.version().feature();
  }

  /** What a JVM wants to hear before it loads native code without a warning. */
  private static List<String> access(String module) {
    return hasForeign() ? List.of("--enable-native-access=" + module) : List.of();
  }

  private List<String> runModule(List<String> options) throws Exception {
    String path = host() + File.pathSeparator + mountsAndTheirNeeds();
    return run(options, List.of("--module-path", path, "-m", "host/host.Main"));
  }

  private List<String> runClass(List<String> options, String mounts) throws Exception {
    return run(options, List.of("-cp", host() + File.pathSeparator + mounts, "host.Main"));
  }

  /** Runs the host, and gives what it printed. */
  private List<String> run(List<String> options, List<String> main) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(tool("java"));
    command.add("-XX:TieredStopAtLevel=1");
    command.addAll(options);
    command.addAll(main);
    return run(command);
  }

  /** Runs a program, and gives what it printed. It must not complain, and must end well. */
  private List<String> run(List<String> command) throws IOException, InterruptedException {
    Path out = directory.resolve("out");
    Path err = directory.resolve("err");
    Process process =
        new ProcessBuilder(command)
            .redirectOutput(out.toFile())
            .redirectError(err.toFile())
            .start();
    try {
      int status = process.waitFor();
      assertThat(Files.readString(err)).isEmpty();
      assertThat(status).isZero();
      return Files.readAllLines(out);
    } finally {
      process.destroyForcibly();
    }
  }

  private static String tool(String name) {
    return Path.of(System.getProperty("java.home"), "bin", name).toString();
  }

  private Path host() {
    return directory.resolve("host");
  }

  private static String mountsAndTheirNeeds() {
    return mountsAnd("/net/java/dev/jna/", "/jspecify/");
  }

  private static String mountsAnd(String... needs) {
    List<String> path =
        Arrays.asList(System.getProperty("java.class.path").split(File.pathSeparator, -1));
    Stream<String> own =
        path.stream()
            .filter(entry -> entry.contains("mount-linux") && !entry.contains("test-classes"));
    Stream<String> others =
        path.stream().filter(entry -> Stream.of(needs).anyMatch(entry::contains));
    return Stream.concat(own, others).collect(Collectors.joining(File.pathSeparator));
  }
}
