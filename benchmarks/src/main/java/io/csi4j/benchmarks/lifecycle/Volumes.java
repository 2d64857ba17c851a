package io.csi4j.benchmarks.lifecycle;

import io.csi4j.benchmarks.Callers;
import io.csi4j.benchmarks.DoNothingPlugin;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.VolumeId;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.UnmountOutcome;
import io.csi4j.volume.node.VolumeMounter;

/** The volumes of a plugin that mounts nothing: each caller mounts and unmounts one of its own. */
record Volumes(VolumeMounter mounter, PluginId plugin) implements Callers.Work {

  /** The plugin at a socket. */
  static PluginId plugin(CsiEndpoint endpoint) {
    return PluginId.of(DoNothingPlugin.nameOf(endpoint.path()));
  }

  /** How a manager uses it: as any other, but that nothing is mounted. */
  static PluginBinding binding(CsiEndpoint endpoint) {
    return PluginBinding.builder(plugin(endpoint), endpoint)
        .policy(MountPolicy.builder().requireMount(false).build())
        .build();
  }

  static MountRequest request(PluginId plugin, int caller) {
    return MountRequest.builder(
            plugin, usage(caller), VolumeId.of("id-" + caller), AccessMode.SINGLE_NODE_WRITER)
        .build();
  }

  static VolumeUse usage(int caller) {
    return VolumeUse.of(VolumeKey.of("volume-" + caller), WorkloadId.of("workload-" + caller));
  }

  @Override
  public void doOnce(int caller) {
    if (!mounter.mount(request(plugin, caller)).usage().equals(usage(caller))
        || mounter.unmount(usage(caller)) != UnmountOutcome.LAST) {
      throw new IllegalStateException("Something else was mounted or unmounted.");
    }
  }
}
