package io.csi4j.benchmarks.lifecycle;

import io.csi4j.benchmarks.Callers;
import io.csi4j.benchmarks.DoNothingPlugin;
import io.csi4j.client.AccessMode;
import io.csi4j.client.CsiEndpoint;
import io.csi4j.client.VolumeId;
import io.csi4j.volume.MountPolicy;
import io.csi4j.volume.MountRequest;
import io.csi4j.volume.PluginBinding;
import io.csi4j.volume.PluginId;
import io.csi4j.volume.Release;
import io.csi4j.volume.UsageKey;
import io.csi4j.volume.VolumeKey;
import io.csi4j.volume.VolumeMounter;
import io.csi4j.volume.WorkloadId;

/** The volumes of a plugin that mounts nothing: each caller mounts and unmounts one of its own. */
record Volumes(VolumeMounter mounter, PluginId plugin) implements Callers.Work {

  /** The plugin at a socket. */
  static PluginId plugin(CsiEndpoint endpoint) {
    return PluginId.of(DoNothingPlugin.nameOf(endpoint.path()));
  }

  /** How a manager uses it: as any other, but that nothing is mounted. */
  static PluginBinding binding(CsiEndpoint endpoint) {
    return PluginBinding.builder(plugin(endpoint), endpoint)
        .policy(MountPolicy.defaults().withRequireMount(false))
        .build();
  }

  static MountRequest request(PluginId plugin, int caller) {
    return MountRequest.builder(
            plugin, usage(caller), VolumeId.of("id-" + caller), AccessMode.SINGLE_NODE_WRITER)
        .build();
  }

  static UsageKey usage(int caller) {
    return UsageKey.of(VolumeKey.of("volume-" + caller), WorkloadId.of("workload-" + caller));
  }

  @Override
  public void doOnce(int caller) {
    if (!mounter.mount(request(plugin, caller)).usage().equals(usage(caller))
        || mounter.unmount(usage(caller)) != Release.LAST) {
      throw new IllegalStateException("Something else was mounted or unmounted.");
    }
  }
}
