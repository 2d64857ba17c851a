package io.csi4j.volume.internal.probe;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.volume.internal.disk.RealDisk;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class PluginProcessesTest {

  private final PluginProcesses processes = new PluginProcesses(new RealDisk(), "boot-1");

  /** The word for a process, as the kernel tells of it. */
  private static String word(long pid) throws Exception {
    String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
    List<String> fields = List.of(stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1));
    return "boot-1/" + pid + "/" + fields.get(19);
  }

  @Test
  void aProcessRunsUntilItHasEnded() throws Exception {
    Process sleeping = new ProcessBuilder("sleep", "1000").start();
    String word = word(sleeping.pid());
    assertThat(processes.isRunning(word)).isTrue();

    sleeping.destroyForcibly();
    assertThat(sleeping.waitFor()).isNotZero();

    assertThat(processes.isRunning(word)).isFalse();
  }

  @Test
  void anotherProcessWithItsNumberIsNotIt() throws Exception {
    String word = word(ProcessHandle.current().pid());

    assertThat(processes.isRunning(word)).isTrue();
    assertThat(processes.isRunning(word + "0")).as("another start").isFalse();
    assertThat(processes.isRunning("boot-2" + word.substring(6))).as("another boot").isFalse();
  }

  @Test
  void ofWhatIsNoProcessNobodyKnows() {
    for (String word : List.of("", "boot-1/socket-8:1/4711-99", "boot-1/x/1", "boot-1/1")) {
      assertThat(processes.isRunning(word)).as(word).isFalse();
    }
  }
}
