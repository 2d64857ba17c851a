package io.csi4j.volume.internal.real;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.real.LoopDevice;
import io.csi4j.mount.real.MountTest;
import io.csi4j.mount.real.NeedsRoot;
import io.csi4j.mount.real.Scratch;
import io.csi4j.volume.internal.time.OnDemandThreads;
import io.csi4j.volume.internal.time.Waits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** Devices of this machine, held open. */
@MountTest
class HeldDevicesTest {

  private final List<String> failures = new CopyOnWriteArrayList<>();

  @Test
  @NeedsRoot("a loop device")
  void aDeviceThatIsHeldIsNotTakenAway(Scratch scratch) throws Exception {
    LoopDevice disk = LoopDevice.ext4(scratch);
    try (OnDemandThreads threads = new OnDemandThreads("held", 2)) {
      HeldDevices held = new HeldDevices(HeldDevices.Opener::ofKernel, threads);
      MountPath node = MountPath.of(disk.path());
      Path backing =
          Path.of("/sys/block", disk.path().substring("/dev/".length()), "loop/backing_file");
      held.hold(node, failures::add);
      Waits.until(() -> isOpen(disk.path()));

      disk.close();

      assertThat(backing).exists();
      List<String> closed = new CopyOnWriteArrayList<>();
      assertThat(held.letGo(node, () -> closed.add("closed"))).isTrue();
      Waits.until(() -> !closed.isEmpty());
      Waits.until(() -> !Files.exists(backing));
      assertThat(held.letGo(node, () -> closed.add("again"))).isFalse();
      assertThat(failures).isEmpty();
    }
  }

  private static boolean isOpen(String device) {
    try (var all = Files.list(Path.of("/proc/self/fd"))) {
      return all.anyMatch(
          fd -> {
            try {
              return Files.readSymbolicLink(fd).toString().equals(device);
            } catch (IOException gone) {
              return false;
            }
          });
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
