package io.csi4j.volume.internal.real;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.testkit.FakeCsiPlugin;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class ClosedSocketTest {

  /** File modes do not apply to root, but to a root without the two capabilities for that. */
  private static final List<String> DROP =
      List.of(
          "setpriv",
          "--bounding-set=-dac_override,-dac_read_search",
          "--inh-caps=-dac_override,-dac_read_search");

  @Tag("campaign")
  @Test
  @Tag("C3")
  void aSocketThatThisProcessMayNotUseIsToldOfAtOnceWithItsModeAndOurUser() throws Exception {
    try (FakeCsiPlugin fake = FakeCsiPlugin.open()) {
      Path socket = fake.endpoint().path();
      Files.setPosixFilePermissions(socket, PosixFilePermissions.fromString("---------"));

      assertThat(ask(socket))
          .as("C3: refused with mode and user")
          .startsWith("PLUGIN_SOCKET_DENIED ")
          .contains("this process may not write to the socket")
          .contains("mode 0000")
          .contains("our uid is ");
      assertThat(fake.journal().calls()).isEmpty();
    }
  }

  private static String ask(Path socket) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    if ((Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid") == 0) {
      command.addAll(DROP);
    }
    command.addAll(
        List.of(
            ProcessHandle.current().info().command().orElse("java"),
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            AskMain.class.getName(),
            socket.toString()));
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as("%s", command.get(0)).isZero();
    return output;
  }
}
