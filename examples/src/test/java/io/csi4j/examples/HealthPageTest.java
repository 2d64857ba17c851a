package io.csi4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.HealthReason;
import io.csi4j.client.model.VolumeHealthEntry;
import io.csi4j.client.model.VolumeId;
import io.csi4j.client.node.NodeCapability;
import io.csi4j.mount.real.Eventually;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.volume.manager.VolumeManager;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.MountRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Holds docs/health.md to what really compiles, runs and is said. */
class HealthPageTest {

  private static final PluginId PLUGIN = PluginId.of("fake");
  private static final VolumeId VOLUME = VolumeId.of("vol-1");
  private static final VolumeUse USE = VolumeUse.of(VolumeKey.of("data"), WorkloadId.of("web-1"));

  @TempDir Path directory;
  private final List<String> told = new CopyOnWriteArrayList<>();

  @Test
  void aFaultIsToldOnceWhenItBeginsAndOnceWhenItEnds() {
    PluginShape shape =
        PluginShape.nodeOnly()
            .with(NodeCapability.GET_VOLUME_HEALTH, NodeCapability.GET_STORAGE_HEALTH);
    try (FakeCsiPlugin fake = FakeCsiPlugin.open(shape);
        VolumeManager manager =
            VolumeManager.builder(directory.resolve("volumes"))
                .listener(HealthSnippets.listener(told::add))
                .plugin(quick(HealthSnippets.binding(PLUGIN, fake.endpoint())))
                .open()) {
      fake.addVolume(VOLUME);
      manager.mount(
          MountRequest.builder(PLUGIN, USE, VOLUME, AccessMode.SINGLE_NODE_WRITER).build());
      fake.health(
          VOLUME,
          VolumeHealthEntry.of(
              VolumeHealthEntry.Status.DEGRADED, HealthReason.of("DiskSlow"), "one disk is slow"));
      Eventually.isTrue("it is told", () -> told.size() == 1);
      HealthSnippets.questions(manager, USE, PLUGIN, told::add);
      fake.clearHealth();
      Eventually.isTrue("it is over", () -> told.size() == 4);
      manager.unmount(USE);

      assertThat(told).hasSize(4);
      assertThat(told.get(0)).startsWith("CSI-847 VOLUME_ABNORMAL: looking after volume 'vol-1'");
      assertThat(told.get(1))
          .startsWith("DEGRADED (DiskSlow), the plugin says since ")
          .endsWith(": 'one disk is slow'");
      assertThat(told.get(2)).isEqualTo("0 faults of the storage, well: false");
      assertThat(told.get(3)).startsWith("CSI-848 VOLUME_WELL_AGAIN: looking after volume 'vol-1'");
    }
  }

  /** Asks more often. The plugin makes directories only, so that everybody may run this. */
  private static PluginBinding quick(PluginBinding binding) {
    MountPolicy policy =
        binding.policy().toBuilder()
            .healthInterval(Duration.ofMillis(50))
            .requireMount(false)
            .build();
    return PluginBinding.builder(binding.id(), binding.endpoint()).policy(policy).build();
  }
}
