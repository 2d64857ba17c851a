package io.csi4j.conformance.internal.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.conformance.model.PluginUnderTest;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StartedPluginTest {

  @TempDir Path directory;

  private StartedPlugin plugin(String script) {
    return plugin(script, Duration.ofSeconds(20), Duration.ofSeconds(5));
  }

  private StartedPlugin plugin(String script, Duration patience, Duration toEnd) {
    return new StartedPlugin(
        PluginUnderTest.builder(CsiEndpoint.parse("unix://" + directory.resolve("proxy.sock")))
            .startsAt(CsiEndpoint.parse("unix://" + directory.resolve("csi.sock")))
            .command(List.of("/bin/sh", "-c", script))
            .deadline(patience)
            .build(),
        text -> text.replace("hunter2", "***"),
        toEnd);
  }

  @Test
  void thePluginThatDiedIsQuotedWithItsLastLinesAndWithoutSecrets() {
    try (StartedPlugin plugin = plugin("echo password hunter2; echo panic: no map >&2; exit 3")) {
      plugin.start();

      assertThat(plugin.hasEnded()).isTrue();
      assertThat(plugin.lastWords())
          .isEqualTo(
              """
              . It ended with code 3. Its last lines:
                          | password ***
                          | panic: no map\
              """);
    }
  }

  @Test
  void aCommandThatEndsWellMayHaveLeftThePluginInTheBackground() {
    try (StartedPlugin well = plugin("exit 0");
        StartedPlugin failed = plugin("exit 1")) {
      well.start();
      failed.start();

      well.checkNotFailed();
      assertThatThrownBy(failed::checkNotFailed)
          .isInstanceOf(UncheckedIOException.class)
          .hasMessage(
              "Starting the plugin failed: nothing listens on unix://"
                  + directory.resolve("csi.sock")
                  + ". Check its command. It ended with code 1");
    }
  }

  @Test
  void onlyTheEndOfALongOutputIsKept() {
    try (StartedPlugin plugin = plugin("for i in $(seq 1 100); do echo line $i; done")) {
      plugin.start();

      assertThat(plugin.hasEnded()).isTrue();
      assertThat(plugin.lastWords())
          .contains("| line 81\n", "| line 100")
          .doesNotContain("line 80\n");
    }
  }

  @Test
  void itsCommandIsToldWhereToListen() {
    try (StartedPlugin plugin = plugin("echo at $CSI_ENDPOINT")) {
      plugin.start();

      assertThat(plugin.hasEnded()).isTrue();
      assertThat(plugin.lastWords()).contains("| at unix://" + directory.resolve("csi.sock"));
    }
  }

  @Test
  void thePluginThatAShellHasStartedAndThatIgnoresSigtermIsEndedToo() throws Exception {
    Path noted = directory.resolve("pid");
    String stubborn =
        "sh -c 'trap \"\" TERM; echo $$ > "
            + noted
            + ".next; mv "
            + noted
            + ".next "
            + noted
            + "; while :; do sleep 1; done'; echo ended";
    ProcessHandle child;
    try (StartedPlugin plugin = plugin(stubborn, Duration.ofMillis(10), Duration.ofMillis(100))) {
      plugin.start();
      Pause pause = new Pause(Duration.ofSeconds(20));
      while (!Files.exists(noted) && pause.again()) {
        // Looked again.
      }
      child = ProcessHandle.of(Long.parseLong(Files.readString(noted).strip())).orElseThrow();
      assertThat(child.isAlive()).isTrue();
    }

    Pause pause = new Pause(Duration.ofSeconds(2));
    while (child.info().command().isPresent()) {
      assertThat(pause.again()).as("the plugin still runs").isTrue();
    }
  }
}
