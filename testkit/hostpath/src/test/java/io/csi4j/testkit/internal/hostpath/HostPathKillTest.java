package io.csi4j.testkit.internal.hostpath;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.client.model.VolumeId;
import io.csi4j.mount.real.MountTest;
import io.csi4j.mount.real.Scratch;
import io.csi4j.testkit.hostpath.HostPathPlugin;
import io.csi4j.testkit.model.PluginContents.Published;
import java.io.BufferedReader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A plugin in a process of its own that is killed in the middle of its life. */
@MountTest
class HostPathKillTest {

  /** What the other process runs: a plugin with one volume in use, until it is killed. */
  static final class Other {
    private Other() {}

    /** Says what it made, and waits. */
    public static void main(String[] arguments) throws Exception {
      try (Rig rig = Rig.in(Path.of(arguments[0]))) {
        VolumeId volume = rig.create("db");
        Files.writeString(rig.use(volume, Rig.MOUNT, "one").resolve("f"), "kept");
        System.out.println(volume.value());
        System.in.read();
      }
    }
  }

  @Test
  void aKilledPluginIsFollowedByOneThatKnowsWhatItKnew(Scratch scratch) throws Exception {
    Process other =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-Xmx256m",
                // What it cannot clean up goes with the test.
                "-Djava.io.tmpdir=" + scratch.root(),
                "-cp",
                System.getProperty(
                    "surefire.test.class.path", System.getProperty("java.class.path")),
                Other.class.getName(),
                scratch.root().toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (BufferedReader said = other.inputReader()) {
      VolumeId volume = VolumeId.of(said.readLine());
      Path data = scratch.file("data");
      assertThatThrownBy(() -> HostPathPlugin.builder(data).open())
          .isInstanceOf(UncheckedIOException.class)
          .rootCause()
          .hasMessageContaining(
              "a plugin in another process uses it, process " + other.pid() + " ");

      other.destroyForcibly();
      assertThat(other.waitFor(30, TimeUnit.SECONDS)).isTrue();

      try (Rig rig = Rig.open(scratch)) {
        assertThat(rig.plugin().contents().volumes()).containsExactly(volume);
        assertThat(rig.plugin().contents().published())
            .extracting(Published::path)
            .containsExactly(rig.target("one"));
        assertThat(rig.file("one").resolve("f")).hasContent("kept");
        rig.release(volume, "one");
        rig.delete(volume);
        assertThat(rig.mounts()).isEmpty();
      }
    } finally {
      other.destroyForcibly();
    }
  }
}
