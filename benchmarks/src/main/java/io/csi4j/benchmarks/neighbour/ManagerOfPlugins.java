package io.csi4j.benchmarks.neighbour;

import io.csi4j.benchmarks.DoNothingPlugin;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.VolumeId;
import io.csi4j.volume.manager.VolumeManager;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.ManagerSettings;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.UnmountOutcome;
import io.csi4j.volume.state.JournalSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A manager with some plugins that mount nothing, and the same number of volumes for each plugin.
 */
final class ManagerOfPlugins implements AutoCloseable {

  private final VolumeManager manager;
  private final List<PluginId> plugins = new ArrayList<>();
  private final int volumesEach;

  private ManagerOfPlugins(
      Path root, List<CsiEndpoint> endpoints, int volumesEach, Duration healthInterval) {
    this.volumesEach = volumesEach;
    VolumeManager.Builder builder =
        VolumeManager.builder(root)
            .settings(ManagerSettings.builder().closing(Duration.ofSeconds(1)).build())
            // The state is on tmpfs.
            .journal(JournalSettings.builder().acceptAnyFilesystem(true).build());
    for (CsiEndpoint endpoint : endpoints) {
      PluginId id = PluginId.of(DoNothingPlugin.nameOf(endpoint.path()));
      plugins.add(id);
      builder.plugin(
          PluginBinding.builder(id, endpoint)
              .policy(
                  MountPolicy.builder().requireMount(false).healthInterval(healthInterval).build())
              .build());
    }
    manager = builder.open();
  }

  /** Opens the manager without health checks, and mounts the volumes. */
  static ManagerOfPlugins open(Path root, List<CsiEndpoint> endpoints, int volumesEach) {
    return open(root, endpoints, volumesEach, Duration.ZERO);
  }

  /** Opens the manager with health checks at this interval, and mounts the volumes. */
  static ManagerOfPlugins open(
      Path root, List<CsiEndpoint> endpoints, int volumesEach, Duration healthInterval) {
    ManagerOfPlugins manager = new ManagerOfPlugins(root, endpoints, volumesEach, healthInterval);
    List<CompletableFuture<?>> mounts = new ArrayList<>();
    for (int plugin = 0; plugin < endpoints.size(); plugin++) {
      for (int i = 0; i < volumesEach; i++) {
        mounts.add(manager.begin(plugin, "idle-" + i));
      }
    }
    mounts.forEach(CompletableFuture::join);
    return manager;
  }

  private CompletableFuture<?> begin(int plugin, String volume) {
    return manager.async().mount(request(plugin, volume)).toCompletableFuture();
  }

  private MountRequest request(int plugin, String volume) {
    return MountRequest.builder(
            plugins.get(plugin),
            usage(plugin, volume),
            VolumeId.of(volume),
            AccessMode.SINGLE_NODE_WRITER)
        .build();
  }

  private static VolumeUse usage(int plugin, String volume) {
    return VolumeUse.of(VolumeKey.of(plugin + "-" + volume), WorkloadId.of("workload"));
  }

  /** Mounts and unmounts a volume. */
  void mountAndUnmount(int plugin, String volume) {
    VolumeUse usage = usage(plugin, volume);
    if (!manager.mount(request(plugin, volume)).usage().equals(usage)
        || manager.unmount(usage) != UnmountOutcome.LAST) {
      throw new IllegalStateException("Something else was mounted or unmounted.");
    }
  }

  /**
   * Begins to release all volumes of a plugin and to mount the same number of others, without
   * waiting for the results.
   */
  int want(int plugin) {
    List<CompletableFuture<?>> wanted = new ArrayList<>();
    for (int i = 0; i < volumesEach; i++) {
      wanted.add(manager.async().unmount(usage(plugin, "idle-" + i)).toCompletableFuture());
      wanted.add(begin(plugin, "more-" + i));
    }
    return wanted.size();
  }

  @Override
  public void close() {
    manager.close();
  }
}
