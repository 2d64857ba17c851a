package io.csi4j.volume.manager;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.node.ManagerSettings;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A manager on a machine that gives too few threads: a process whose memory has no room for them.
 */
class FewThreadsTest {

  /** Each thread wants 1 GiB of addresses, and the process has room for less than 64 of them. */
  private static final String COMMAND =
      "ulimit -v 25165824; exec \"$0\" -XX:+UseSerialGC -Xmx64m -XX:ThreadStackSize=1048576 -cp"
          + " \"$1\" \"$2\" \"$3\"";

  @TempDir private Path directory;

  @Test
  @Tag("I-6")
  void aManagerThatGetsTooFewThreadsIsNotOpenedAndSaysWhatToRaise() throws Exception {
    Process process =
        new ProcessBuilder(
                "/bin/sh",
                "-c",
                COMMAND,
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                System.getProperty(
                    "surefire.test.class.path", System.getProperty("java.class.path")),
                Opening.class.getName(),
                directory.resolve("root").toString())
            .redirectErrorStream(true)
            .start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

    assertThat(said)
        .as("I-6: the start is refused")
        .contains("REFUSED NO_THREADS", "of 65 threads could be started", "ulimit -u");
    assertThat(process.waitFor()).isZero();
    assertThat(directory).isEmptyDirectory();
  }

  /** What the process does. */
  public static final class Opening {

    private Opening() {}

    /** Opens a manager with 64 threads in the directory given. */
    public static void main(String[] args) {
      try (VolumeManager manager =
          VolumeManager.builder(Path.of(args[0]))
              .settings(ManagerSettings.builder().threads(64).build())
              .open()) {
        System.out.println("opened " + manager.root());
      } catch (VolumeException refused) {
        System.out.println(refused.outcome() + " " + refused.code() + ": " + refused.getMessage());
      }
    }
  }
}
