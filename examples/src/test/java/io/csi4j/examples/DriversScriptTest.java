package io.csi4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What testing/drivers says where it cannot run anything. */
class DriversScriptTest {

  @TempDir Path programs;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "                               | Which program? One of host-path nfs testkit python",
        "acme                           | Unknown name acme: one of host-path",
        "host-path nfs                  | Two names, host-path and nfs.",
        "host-path --only all           | Unknown part all.",
        "host-path --parameter a        | The parameter a is not KEY=VALUE.",
        "host-path --rounds none        | Rounds, seeds and releases are whole numbers.",
        "host-path --sanity             | The option --sanity has no value.",
        "host-path --build yes          | Unknown option --build.",
      })
  void aCommandLineThatMakesNoSenseIsRefused(String arguments, String message)
      throws IOException, InterruptedException {
    assertThat(said(2, arguments == null ? new String[0] : arguments.split(" ", -1)))
        .singleElement()
        .asString()
        .startsWith(message)
        .endsWith("See --help.");
  }

  @Test
  void aProgramThatIsNotThereIsNamed() throws IOException, InterruptedException {
    assertThat(said(3, "host-path", "--program", "no-such-program"))
        .containsExactly(
            "testing/drivers cannot run here: there is no no-such-program.",
            "Build host-path as its project says, and name the program with --program FILE.");
  }

  @Test
  void whereNothingCanBeMountedItSaysSoBeforeAnythingIsBuilt()
      throws IOException, InterruptedException {
    program("unshare", "echo 'unshare: Operation not permitted' >&2; exit 1");
    program("mvn", "echo built; exit 1");
    assertThat(said(3, "python"))
        .hasSize(2)
        .first()
        .asString()
        .contains("nothing can be mounted as user ", "unshare: Operation not permitted");
  }

  private void program(String name, String body) throws IOException {
    Path file = Files.writeString(programs.resolve(name), "#!/bin/sh\n" + body + "\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
  }

  private List<String> said(int status, String... arguments)
      throws IOException, InterruptedException {
    List<String> command =
        new ArrayList<>(List.of("bash", Page.ROOT.resolve("testing/drivers").toString()));
    command.addAll(List.of(arguments));
    ProcessBuilder script = new ProcessBuilder(command).redirectErrorStream(true);
    script.environment().put("PATH", programs + ":" + System.getenv("PATH"));
    script.environment().put("JAVA_HOME", System.getProperty("java.home"));
    Process process = script.start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
    assertThat(process.exitValue()).as(said).isEqualTo(status);
    return said.lines().toList();
  }
}
