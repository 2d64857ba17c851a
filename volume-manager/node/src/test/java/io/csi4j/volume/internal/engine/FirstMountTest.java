package io.csi4j.volume.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.controller.CreateVolumeRequest;
import io.csi4j.client.controller.Volume;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.mount.real.MountTest;
import io.csi4j.testkit.HostPathPlugin;
import io.csi4j.volume.manager.VolumeManager;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.MountedVolume;
import io.csi4j.volume.node.UnmountOutcome;
import io.csi4j.volume.node.WantedUse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The main way through everything, with real mounts. */
@MountTest
class FirstMountTest {

  private static final PluginId PLUGIN = PluginId.of("hostpath");

  @TempDir private Path temp;

  @Test
  void aVolumeIsMountedAdoptedSharedAndGivenUp() throws Exception {
    try (HostPathPlugin plugin = HostPathPlugin.builder(temp.resolve("data")).open();
        CsiPlugin client = CsiPlugin.connect(plugin.endpoint())) {
      Volume volume =
          client
              .controller()
              .createVolume(
                  CreateVolumeRequest.builder(
                          "v1", List.of(VolumeCapability.mount(AccessMode.MULTI_NODE_MULTI_WRITER)))
                      .capacityRange(CapacityRange.atLeast(1 << 20))
                      .build());
      VolumeUse web = VolumeUse.of(VolumeKey.of("db-1"), WorkloadId.of("web"));
      VolumeUse job = VolumeUse.of(VolumeKey.of("db-1"), WorkloadId.of("job"));
      Path path;
      try (VolumeManager manager = manager(plugin)) {
        MountedVolume mounted = manager.mount(request(web, volume));
        path = mounted.path();
        Files.writeString(path.resolve("hello"), "there");
        assertThat(manager.hasMount(web)).isTrue();
      }
      try (VolumeManager manager = manager(plugin)) {
        assertThat(manager.recovered().adopted()).containsExactly(web);
        assertThat(
                manager
                    .reconcile(List.of(new WantedUse.Named(web)))
                    .done()
                    .toCompletableFuture()
                    .join()
                    .failed())
            .isZero();
        assertThat(manager.mount(request(web, volume)).path()).isEqualTo(path);
        MountedVolume second = manager.mount(request(job, volume));
        assertThat(second.path().resolve("hello")).hasContent("there");
        assertThat(manager.unmount(web)).isEqualTo(UnmountOutcome.NOT_LAST);
        assertThat(manager.unmount(web)).isEqualTo(UnmountOutcome.UNKNOWN);
        assertThat(second.path().resolve("hello")).hasContent("there");
        assertThat(manager.unmount(job)).isEqualTo(UnmountOutcome.LAST);
        assertThat(manager.volumes()).isEmpty();
        assertThat(temp.resolve("root/v")).isEmptyDirectory();
      }
      plugin.assertLawful();
    }
  }

  private VolumeManager manager(HostPathPlugin plugin) {
    return VolumeManager.builder(temp.resolve("root"))
        .plugin(PluginBinding.of(PLUGIN, plugin.nodeEndpoint()))
        .open();
  }

  private static MountRequest request(VolumeUse usage, Volume volume) {
    return MountRequest.builder(PLUGIN, usage, volume.id(), AccessMode.MULTI_NODE_MULTI_WRITER)
        .volumeContext(volume.context())
        .build();
  }
}
