package io.csi4j.volume.modulepath;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** csi4j on the module path, jetcd on the class path: neither has to name the other. */
@Timeout(120)
class EtcdOnTheModulePathTest {

  /** What csi4j asks for by name, and what that does. */
  private static final List<String> MODULES =
      List.of(
          "csi4j-client-",
          "csi4j-mount-linux-",
          "grpc-api-",
          "grpc-core-",
          "grpc-stub-",
          "grpc-protobuf-",
          "grpc-util-",
          "grpc-context-",
          "grpc-netty-shaded-",
          "guava-",
          "failureaccess-",
          "protobuf-java-",
          "failsafe-",
          "jna-",
          "jspecify-");

  private static boolean isModule(String entry) {
    Path path = Path.of(entry);
    String name = path.getFileName().toString();
    return Files.isDirectory(path)
        ? Files.exists(path.resolve("module-info.class"))
        : MODULES.stream().anyMatch(name::startsWith) && !name.endsWith("-tests.jar");
  }

  private static List<String> path(boolean modules) {
    String all =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    return Arrays.stream(all.split(File.pathSeparator, -1))
        .filter(entry -> isModule(entry) == modules)
        .toList();
  }

  private static List<String> opened(List<String> classPath, String... endpoints)
      throws IOException, InterruptedException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-Dslf4j.internal.verbosity=ERROR",
                "-p",
                String.join(File.pathSeparator, path(true)),
                "--add-modules",
                "io.csi4j.volume",
                "-cp",
                String.join(File.pathSeparator, classPath),
                OpenEtcdMain.class.getName()));
    command.addAll(List.of(endpoints));
    if (Runtime.version().feature() >= 22) {
      // Newer JDKs warn of the native code of jetcd's netty unless they are told of it.
      command.add(1, "--enable-native-access=ALL-UNNAMED");
    }
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(said).isZero();
    return said.lines().toList();
  }

  @Test
  void aStoreIsOpenedThoughNoModuleAsksForJetcd() throws Exception {
    String nobody = "://127.0.0.1:1";
    String told =
        "Opening the store of claims failed: etcd at %s cannot be reached, or has no leader. See"
            + " that it runs, and that it can be reached from here, with TLS where it asks for it.";

    assertThat(opened(path(false), "http" + nobody, "https" + nobody))
        .containsExactly(
            "io.csi4j.volume", told.formatted("http" + nobody), told.formatted("https" + nobody));
  }

  @Test
  void withoutJetcdItSaysWhatToAdd() throws Exception {
    List<String> without = path(false).stream().filter(entry -> !entry.contains("jetcd")).toList();

    assertThat(opened(without, "http://127.0.0.1:1"))
        .containsExactly(
            "io.csi4j.volume",
            "Opening the store of claims in etcd failed: the library for etcd is not there. Add"
                + " io.etcd:jetcd-core to the class path; csi4j does not bring it along.");
  }
}
