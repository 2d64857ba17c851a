package io.csi4j.examples;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.model.VolumeId;
import io.csi4j.volume.manager.VolumeManager;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.SelinuxLabel;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadFacts;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.MountedVolume;
import io.csi4j.volume.node.WantedUse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** The code blocks of docs/volumes.md, each between a mark with its name and one at its end. */
final class VolumesSnippets {

  private VolumesSnippets() {}

  static void wiring(
      Path directory, PluginBinding binding, List<WantedUse> live, Consumer<Object> host) {
    // snippet: wiring
    VolumeUse usage = VolumeUse.of(VolumeKey.of("data"), WorkloadId.of("web-1"));
    try (VolumeManager manager = VolumeManager.builder(directory).plugin(binding).open()) {
      host.accept(manager.recovered()); // what an earlier run has left
      host.accept(manager.reconcile(live)); // once after the start: the uses still wanted
      MountedVolume mounted =
          manager.mount(
              MountRequest.builder(
                      binding.id(), usage, VolumeId.of("vol-1"), AccessMode.SINGLE_NODE_WRITER)
                  .build());
      host.accept(mounted.path()); // the workload runs
      host.accept(manager.unmount(usage)); // LAST: the volume is unstaged, too
    } // unmounts nothing
    // end
  }

  static MountedVolume refresh(VolumeManager manager, MountRequest mounted, String token) {
    // snippet: refresh
    MountRequest next =
        mounted.toBuilder() // all else stays as it was mounted
            .volumeContext(VolumeContext.of(Map.of("token", token)))
            .build();
    return manager.refresh(next); // from now on the mount is repeated with this request
    // end
  }

  static PluginBinding rounds(PluginId id, CsiEndpoint endpoint) {
    return PluginBinding.builder(id, endpoint)
        .policy(MountPolicy.builder().refreshInterval(Duration.ofMinutes(10)).build())
        .build();
  }

  static MountedVolume label(
      VolumeManager manager,
      PluginId id,
      CsiEndpoint endpoint,
      MountRequest asked,
      Consumer<Object> log) {
    // snippet: label
    MountPolicy policy = MountPolicy.builder().takesSelinuxLabel(true).build();
    manager.register(PluginBinding.builder(id, endpoint).policy(policy).build()).forEach(log);

    SelinuxLabel label = SelinuxLabel.of("system_u:object_r:container_file_t:s0:c15,c25");
    MountRequest request = asked.toBuilder().selinuxLabel(label).build();
    MountedVolume mounted = manager.mount(request); // nothing is left to be relabelled
    // end
    return mounted;
  }

  static MountRequest facts(PluginId plugin, VolumeUse usage, VolumeId handle) {
    // snippet: facts
    return MountRequest.builder(plugin, usage, handle, AccessMode.SINGLE_NODE_WRITER)
        .workloadFacts(WorkloadFacts.of(usage).withServiceAccount("web"))
        .build();
    // end
  }

  static MountRequest inline(PluginId plugin, VolumeUse usage) {
    // snippet: inline
    return MountRequest.inline(plugin, usage, AccessMode.SINGLE_NODE_WRITER)
        .volumeContext(VolumeContext.of(Map.of("size", "1Gi"))) // what the job says of it
        .build();
    // end
  }
}
