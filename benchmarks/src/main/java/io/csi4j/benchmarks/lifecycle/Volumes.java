package io.csi4j.benchmarks.lifecycle;

import io.csi4j.benchmarks.Callers;
import io.csi4j.benchmarks.DoNothingPlugin;
import io.csi4j.client.CsiPlugin;
import io.csi4j.client.controller.CreateVolumeRequest;
import io.csi4j.client.controller.Volume;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.VolumeCapability;
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
import java.util.List;
import java.util.function.IntFunction;

/** The volumes of a plugin. Each caller mounts and unmounts its own volume. */
record Volumes(VolumeMounter mounter, IntFunction<MountRequest> requests) implements Callers.Work {

  /** Returns the id of the plugin at a socket. */
  static PluginId plugin(CsiEndpoint endpoint) {
    return PluginId.of(DoNothingPlugin.nameOf(endpoint.path()));
  }

  /**
   * Returns the binding of a plugin that does nothing. It has the usual policy, except that no
   * mount is required.
   */
  static PluginBinding binding(CsiEndpoint endpoint) {
    return PluginBinding.builder(plugin(endpoint), endpoint)
        .policy(MountPolicy.builder().requireMount(false).build())
        .build();
  }

  /** Returns a request for a volume of a plugin that does nothing, and so accepts any volume. */
  static MountRequest request(PluginId plugin, int caller) {
    return MountRequest.builder(
            plugin, usage(caller), VolumeId.of("id-" + caller), AccessMode.SINGLE_NODE_WRITER)
        .build();
  }

  /** Creates a volume with the plugin, and returns a request for it. */
  static MountRequest created(CsiEndpoint endpoint, int caller) {
    try (CsiPlugin client = CsiPlugin.connect(endpoint)) {
      Volume volume =
          client
              .controller()
              .createVolume(
                  CreateVolumeRequest.builder(
                          "volume-" + caller,
                          List.of(VolumeCapability.mount(AccessMode.SINGLE_NODE_WRITER)))
                      .build());
      return MountRequest.builder(
              plugin(endpoint), usage(caller), volume.id(), AccessMode.SINGLE_NODE_WRITER)
          .volumeContext(volume.context())
          .build();
    }
  }

  static VolumeUse usage(int caller) {
    return VolumeUse.of(VolumeKey.of("volume-" + caller), WorkloadId.of("workload-" + caller));
  }

  @Override
  public void doOnce(int caller) {
    MountRequest request = requests.apply(caller);
    if (!mounter.mount(request).usage().equals(request.usage())
        || mounter.unmount(request.usage()) != UnmountOutcome.LAST) {
      throw new IllegalStateException("Something else was mounted or unmounted.");
    }
  }
}
