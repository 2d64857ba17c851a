package io.csi4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the script of the quickstart says where it cannot show anything. */
class QuickstartScriptTest {

  @TempDir Path programs;

  @Test
  void whereNothingCanBeMountedItSaysSoAndWhatToDoBeforeAnythingIsBuilt() throws Exception {
    program("unshare", "echo 'unshare: unshare failed: Operation not permitted' >&2; exit 1");
    program("mvn", "echo built; exit 1");

    List<String> said = said(3);

    assertThat(said)
        .hasSizeGreaterThan(1)
        .doesNotContain("built")
        .first()
        .asString()
        .startsWith("The quickstart cannot run here: nothing can be mounted as user ")
        .contains("unshare: unshare failed: Operation not permitted");
    assertThat(String.join(" ", said)).containsAnyOf("Run it outside", "Run it as root (sudo)");
  }

  @Test
  void aJavaThatIsTooOldIsNamed() throws Exception {
    program("java", "echo '    java.specification.version = 11'; echo '    java.home = /jdk-11'");

    assertThat(said(3))
        .containsExactly(
            "The quickstart cannot run here: " + programs.resolve("java") + " is of version 11.",
            "Install a JDK 17 or newer, and name its directory in JAVA_HOME.");
  }

  @Test
  void whatMavenSaysIsShownOnlyIfItFails() throws Exception {
    program("unshare", "exit 0");
    program("mvn", "printf '\\033[0m'; echo 'COMPILATION ERROR'; exit 1");
    List<String> said = said(1, "--build");
    assertThat(said).hasSize(2);
    assertThat(said.get(0)).startsWith("Building with Maven");
    assertThat(said.get(1)).endsWith("COMPILATION ERROR");
  }

  @Test
  void anOptionThatItDoesNotHaveIsNamedWithTheUsage() throws Exception {
    String usage =
        "Usage: examples/quickstart [controller|cluster [--store etcd|postgresql|directory]]"
            + " [--build]";
    assertThat(said(2, "cluster", "--store", "mysql"))
        .containsExactly(
            "--store is followed by etcd, postgresql or directory, not by 'mysql'.", usage);
    assertThat(said(2, "cluster", "--store"))
        .containsExactly("--store is followed by etcd, postgresql or directory, not by ''.", usage);
    assertThat(said(2, "controller", "--store", "etcd"))
        .containsExactly("Only the quickstart of a cluster has --store.", usage);
    assertThat(said(2, "--rebuild")).containsExactly("There is no option --rebuild.", usage);
  }

  private void program(String name, String body) throws IOException {
    Path file = Files.writeString(programs.resolve(name), "#!/bin/sh\n" + body + "\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
  }

  private List<String> said(int status, String... arguments)
      throws IOException, InterruptedException {
    ProcessBuilder script =
        new ProcessBuilder("sh", Page.ROOT.resolve("examples/quickstart").toString())
            .redirectErrorStream(true);
    script.command().addAll(List.of(arguments));
    script.environment().put("PATH", programs + ":" + System.getenv("PATH"));
    if (Files.exists(programs.resolve("java"))) {
      script.environment().remove("JAVA_HOME");
    } else {
      script.environment().put("JAVA_HOME", System.getProperty("java.home"));
    }
    Process process = script.start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
    assertThat(process.exitValue()).as(said).isEqualTo(status);
    return said.lines().toList();
  }
}
