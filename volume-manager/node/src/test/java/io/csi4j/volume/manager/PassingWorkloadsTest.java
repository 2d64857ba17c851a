package io.csi4j.volume.manager;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.VolumeId;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.ManagerSettings;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.UnmountOutcome;
import io.csi4j.volume.node.WantedUse;
import io.csi4j.volume.state.MemoryMedium;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import javax.management.ObjectName;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A volume that stays in use does not remember the workloads that came and went beside it. */
class PassingWorkloadsTest {

  private static final PluginId PLUGIN = PluginId.of("fake.csi4j.example");
  private static final VolumeId HANDLE = VolumeId.of("vol-7f3");
  private static final VolumeUse STAYING = use("stays");
  private static final int PASSING = 120;

  /** By so many the heap may differ for other reasons. */
  private static final int FEW = 40;

  @TempDir private Path temp;

  private static VolumeUse use(String workload) {
    return VolumeUse.of(VolumeKey.of("db-1"), WorkloadId.of(workload));
  }

  private static MountRequest request(VolumeUse usage) {
    return MountRequest.builder(PLUGIN, usage, HANDLE, AccessMode.MULTI_NODE_MULTI_WRITER).build();
  }

  private static void pass(VolumeManager manager, String name, int count) {
    for (int i = 0; i < count; i++) {
      VolumeUse passing = use(name + i);
      assertThat(manager.mount(request(passing)).usage()).isEqualTo(passing);
      assertThat(manager.unmount(passing)).isEqualTo(UnmountOutcome.NOT_LAST);
    }
  }

  /** How many workloads are in the heap and can be reached. */
  private static long workloads() throws Exception {
    String histogram =
        (String)
            ManagementFactory.getPlatformMBeanServer()
                .invoke(
                    new ObjectName("com.sun.management:type=DiagnosticCommand"),
                    "gcClassHistogram",
                    new Object[] {new String[0]},
                    new String[] {String[].class.getName()});
    return histogram
        .lines()
        .map(line -> line.strip().split("\\s+", -1))
        .filter(words -> words.length > 3 && words[3].equals(WorkloadId.class.getName()))
        .mapToLong(words -> Long.parseLong(words[1]))
        .sum();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void theyAreForgotten(boolean isHostHeard) throws Exception {
    try (FakeCsiPlugin fake = FakeCsiPlugin.open(PluginShape.nodeOnly())) {
      fake.addVolume(HANDLE);
      try (VolumeManager manager =
          VolumeManager.builder(temp.resolve("root"))
              .state(MemoryMedium.create().open())
              .settings(ManagerSettings.builder().closing(Duration.ofMillis(200)).build())
              .plugin(
                  PluginBinding.builder(PLUGIN, fake.nodeEndpoint())
                      // The plugin makes directories only, so that everybody may run this.
                      .policy(MountPolicy.builder().requireMount(false).build())
                      .build())
              .open()) {
        assertThat(manager.mount(request(STAYING)).usage()).isEqualTo(STAYING);
        if (isHostHeard) {
          assertThat(
                  manager
                      .reconcile(List.of(new WantedUse.Named(STAYING)))
                      .done()
                      .toCompletableFuture()
                      .join())
              .isNotNull();
        }
        pass(manager, "first-", FEW);
        long before = workloads();
        assertThat(before).isPositive();

        pass(manager, "then-", PASSING);

        assertThat(workloads() - before).isLessThan(FEW);
      }
    }
  }
}
