package io.csi4j.testkit.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.CsiEndpoint;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The one jar that people download, as a process. */
@Tag("packaged")
@Timeout(300)
class PackagedJarTest {

  private static final Path JAR = Path.of(System.getProperty("csi4j.jar", "none"));

  @TempDir Path directory;

  private CsiEndpoint endpoint() {
    return CsiEndpoint.of(directory.resolve("run/csi.sock"));
  }

  private ChildProcess start(Map<String, String> environment, String... args) throws IOException {
    List<String> command = new ArrayList<>(List.of(ChildProcess.tool("java"), "-jar"));
    command.add(JAR.toString());
    command.addAll(List.of(args));
    return ChildProcess.start(directory, environment, command);
  }

  private ChildProcess start(String... args) throws IOException {
    return start(Map.of("CSI_ENDPOINT", endpoint().toString()), args);
  }

  @Test
  void aPluginIsServedProbedCheckedAndEndedBySigterm() throws Exception {
    Path journal = directory.resolve("journal.jsonl");
    try (ChildProcess serving = start("serve", "--journal", journal.toString(), "--referee")) {
      serving.awaitOut("listens on " + endpoint());

      try (ChildProcess probe = start("probe", "--json")) {
        assertThat(probe.code()).as(probe.err()).isZero();
        assertThat(probe.err()).isEmpty();
        assertThat(probe.out()).startsWith("{\"name\":\"fake.csi4j.example\"");
      }
      try (ChildProcess check = start("check", "--only", "identity/*")) {
        assertThat(check.code()).as(check.out()).isZero();
        assertThat(check.out()).startsWith("Conformance of " + endpoint());
        assertThat(check.err().lines().findFirst())
            .hasValueSatisfying(
                line -> assertThat(line).startsWith("Checking 'fake.csi4j.example'"));
      }

      serving.terminate();
      assertThat(serving.code()).as(serving.out()).isIn(ExitCode.OK, ExitCode.UNLAWFUL);
      assertThat(serving.err()).isEmpty();
      assertThat(serving.out().lines()).hasSizeGreaterThan(1);
      assertThat(endpoint().path()).doesNotExist();
      assertThat(Files.readAllLines(journal))
          .anyMatch(line -> line.contains("\"operation\":\"GetPluginInfo\""))
          .last()
          .asString()
          .contains("\"event\":\"stopped\"");
    }
  }

  @Test
  void withoutAVerdictSigtermIsAGoodEnd() throws Exception {
    try (ChildProcess serving = start("serve")) {
      serving.awaitOut("listens on");
      serving.terminate();
      assertThat(serving.code()).as(serving.err()).isZero();
      assertThat(endpoint().path()).doesNotExist();
    }
  }

  @Test
  void theExitCodeReachesTheShell() throws Exception {
    try (ChildProcess nobody = start("probe", "--timeout", "1s");
        ChildProcess mistaken = start("probe", "--tiemout", "1s");
        ChildProcess nowhere = start(Map.of(), "probe")) {
      assertThat(nobody.code()).isEqualTo(ExitCode.NO_CONNECTION);
      assertThat(mistaken.code()).isEqualTo(ExitCode.USAGE);
      assertThat(nowhere.code()).isEqualTo(ExitCode.USAGE);
      assertThat(nowhere.err()).startsWith("No plugin to look at. Write --endpoint unix:///");
    }
  }

  @Test
  void theVersionIsThatOfTheBuild() throws Exception {
    try (ChildProcess version = start("--version")) {
      assertThat(version.code()).isZero();
      assertThat(version.out())
          .startsWith("csi4j-testkit-cli " + System.getProperty("csi4j.version"));
    }
  }

  @Test
  void theJarKeepsServicesAndLicencesAndIsNoModule() throws IOException {
    try (JarFile jar = new JarFile(JAR.toFile())) {
      assertThat(jar.getManifest().getMainAttributes().getValue("Multi-Release")).isEqualTo("true");
      assertThat(jar.getManifest().getMainAttributes().getValue("Enable-Native-Access"))
          .isEqualTo("ALL-UNNAMED");
      assertThat(jar.stream().map(JarEntry::getName))
          .noneMatch(name -> name.endsWith("module-info.class"))
          .noneMatch(name -> name.matches("META-INF/.*\\.(SF|RSA|DSA)"))
          .noneMatch(name -> name.startsWith("org/junit/") || name.startsWith("org/assertj/"))
          .contains(
              "META-INF/LICENSE",
              "META-INF/LGPL2.1",
              "META-INF/THIRD-PARTY.txt",
              "META-INF/services/io.grpc.LoadBalancerProvider");
    }
  }
}
