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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The mounts used by a host of their own, which is compiled here and runs in its own JVM: as a
 * module and on the class path, without a warning, and without native access.
 */
@Timeout(120)
class ModulePathTest {

  private static final String HOST_MODULE = "module host { requires io.csi4j.mount; }";

  private static final String HOST_MAIN =
      """
      package host;

      import io.csi4j.mount.model.MountException;
      import io.csi4j.mount.model.MountPath;
      import io.csi4j.mount.MountTable;

      public class Main {
        public static void main(String[] args) {
          System.out.println(MountPath.class.getModule());
          System.out.println(MountTable.system().list().at(MountPath.ROOT).isPresent());
          try {
            System.out.println(MountTable.system().probe(MountPath.ROOT).isMount());
          } catch (MountException refused) {
            System.out.println(refused.reason());
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
    String path = host() + File.pathSeparator + mountsAndTheirNeeds();

    assertThat(run(access("com.sun.jna"), List.of("--module-path", path, "-m", "host/host.Main")))
        .containsExactly("module io.csi4j.mount", "true", "true");
  }

  @Test
  void aHostOnTheClassPathSeesMountsWithoutAWarning() throws Exception {
    String path = host() + File.pathSeparator + mountsAndTheirNeeds();

    assertThat(run(access("ALL-UNNAMED"), List.of("-cp", path, "host.Main")).get(2))
        .isEqualTo("true");
  }

  @Test
  void aHostWhoseNativeLibraryCannotBeLoadedStillListsTheTable() throws Exception {
    String path = host() + File.pathSeparator + mountsAndTheirNeeds();
    List<String> unloadable =
        List.of("-Djna.nounpack=true", "-Djna.nosys=true", "-Djna.boot.library.path=/nowhere");

    assertThat(run(unloadable, List.of("--module-path", path, "-m", "host/host.Main")))
        .containsExactly("module io.csi4j.mount", "true", "NO_NATIVE_ACCESS");
  }

  /** What a JVM wants to hear before it loads native code without a warning. */
  private static List<String> access(String module) {
    return Runtime.version().feature() >= 22
        ? List.of("--enable-native-access=" + module)
        : List.of();
  }

  /** Runs the host, and gives what it printed. */
  private List<String> run(List<String> options, List<String> main) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(tool("java"));
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
    Stream<String> needs =
        Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
            .filter(entry -> entry.contains("/net/java/dev/jna/") || entry.contains("/jspecify/"));
    Stream<String> own =
        Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
            .filter(entry -> entry.contains("mount-linux") && !entry.contains("test-classes"));
    return Stream.concat(own, needs).collect(Collectors.joining(File.pathSeparator));
  }
}
