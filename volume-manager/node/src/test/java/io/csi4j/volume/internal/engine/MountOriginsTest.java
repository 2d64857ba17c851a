package io.csi4j.volume.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.VolumeId;
import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.internal.layout.VolumeLayout;
import io.csi4j.volume.internal.real.SystemKernelMounts;
import io.csi4j.volume.internal.record.Evidence;
import io.csi4j.volume.internal.record.PathRecord;
import io.csi4j.volume.internal.record.Place;
import io.csi4j.volume.internal.record.Plan;
import io.csi4j.volume.internal.record.VolumeRecord;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeIdentity;
import java.lang.management.ManagementFactory;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class MountOriginsTest {

  private static final int VOLUMES = 10_000;
  private static final int SOME = 1000;

  private final MountOrigins origins =
      new MountOrigins(
          SystemKernelMounts.system(),
          new VolumeLayout(MountPath.of("/root")),
          new VolumeIndex(
              identity -> {
                throw new AssertionError(identity);
              },
              identity -> {}));

  /** A volume whose mount looks like that of each other one. */
  private static VolumeRecord alike(int number) {
    Evidence same = new Evidence("mount-" + number, "ext4", "/dev/sda1", "/volumes/shared", false);
    return VolumeRecord.fresh(
            new VolumeIdentity(PluginId.of("plugin"), VolumeId.of("vol-" + number)),
            new Plan(true, false, AccessMode.MULTI_NODE_MULTI_WRITER, "", "", ""),
            new Place("boot", 1))
        .withStaging(PathRecord.present(Optional.of(same)));
  }

  /** How many bytes it takes to tell of so many volumes, from this one on. */
  private static long bytes(int first, Consumer<VolumeRecord> tell) {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    VolumeRecord[] volumes =
        IntStream.range(first, first + SOME)
            .mapToObj(MountOriginsTest::alike)
            .toArray(VolumeRecord[]::new);
    long before = threads.getCurrentThreadAllocatedBytes();
    for (VolumeRecord volume : volumes) {
      tell.accept(volume);
    }
    return threads.getCurrentThreadAllocatedBytes() - before;
  }

  @Test
  void thousandsOfVolumesThatLookAlikeComeAndGoWithoutACopyOfAllForEach() {
    long first = bytes(0, origins::begins);
    for (int number = SOME; number < VOLUMES - SOME; number++) {
      origins.begins(alike(number));
    }

    // What the compiler makes of it takes more or less; a copy for each takes hundreds of times it.
    long most = 10 * first;
    assertThat(bytes(VOLUMES - SOME, origins::begins)).isLessThan(most);
    assertThat(bytes(0, volume -> origins.ended(volume, Optional.empty()))).isLessThan(most);
  }
}
