package io.csi4j.volume.sim;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.MountFlags;
import io.csi4j.client.model.MountOptions;
import io.csi4j.client.model.PublishContext;
import io.csi4j.client.model.Secrets;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.model.VolumeId;
import io.csi4j.volume.model.ClaimGrant;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.SecretsProvider;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.MountRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Something that a host of a simulation may want. */
record Wanted(VolumeUse usage, MountRequest request) {

  /** The plugin with which things go wrong. */
  static final PluginId FAULTY = PluginId.of("faulty");

  /** A plugin that always does what it is asked. */
  static final PluginId STEADY = PluginId.of("steady");

  /**
   * Two uses of one volume; for long histories also two of another. The two uses of an inline
   * volume are two volumes for the plugin.
   */
  static List<Wanted> all(Setup setup) {
    List<Wanted> all = new ArrayList<>();
    if (setup.inline()) {
      all.add(inline("A", false));
      all.add(inline("B", setup.shared()));
      if (!setup.roams()) {
        return all;
      }
    }
    all.add(of(FAULTY, "db-1", "A", setup.shared(), false));
    all.add(of(FAULTY, "db-1", "B", setup.shared(), setup.shared()));
    if (setup.roams()) {
      all.add(of(STEADY, "web-2", "A", true, false));
      all.add(of(STEADY, "web-2", "C", true, true));
    }
    return all;
  }

  private static Wanted inline(String workload, boolean readOnly) {
    VolumeUse usage = VolumeUse.of(VolumeKey.of("cache"), WorkloadId.of(workload));
    MountRequest.Builder request =
        MountRequest.inline(FAULTY, usage, AccessMode.SINGLE_NODE_WRITER)
            .volumeOptions(MountOptions.none().withFlags(MountFlags.of("password=" + World.CANARY)))
            .volumeContext(VolumeContext.of(Map.of("url", World.CANARY + "-context")))
            .secrets(SecretsProvider.always(Secrets.of(Map.of("key", World.CANARY + "-secret"))));
    return new Wanted(usage, request.readOnly(readOnly).build());
  }

  private static Wanted of(
      PluginId plugin, String volume, String workload, boolean shared, boolean readOnly) {
    VolumeUse usage = VolumeUse.of(VolumeKey.of(volume), WorkloadId.of(workload));
    MountRequest.Builder request =
        MountRequest.builder(
                plugin,
                usage,
                VolumeId.of("vol-" + volume),
                shared ? AccessMode.SINGLE_NODE_MULTI_WRITER : AccessMode.SINGLE_NODE_SINGLE_WRITER)
            .volumeOptions(MountOptions.none().withFlags(MountFlags.of("password=" + World.CANARY)))
            .volumeContext(VolumeContext.of(Map.of("url", World.CANARY + "-context")))
            .publishContext(PublishContext.of(Map.of("lun", World.CANARY + "-publish")))
            .secrets(SecretsProvider.always(Secrets.of(Map.of("key", World.CANARY + "-secret"))));
    return new Wanted(usage, request.readOnly(readOnly).build());
  }

  /** The same under a claim. */
  MountRequest claimed(long epoch) {
    MountRequest.Builder claimed =
        MountRequest.builder(
                request.plugin(), usage, request.handle(), request.capability().accessMode())
            .volumeOptions(request.capability().mountOptions().orElseThrow())
            .volumeContext(request.volumeContext())
            .secrets(request.secrets())
            .claim(
                new ClaimGrant(
                    usage, NodeName.of("node"), epoch, ClaimMode.WRITE, request.publishContext()));
    return claimed.readOnly(request.readOnly()).build();
  }

  /** The same with the contexts of a refresh, by their number. */
  static MountRequest refreshed(MountRequest request, int contexts) {
    return request.toBuilder()
        .volumeContext(VolumeContext.of(Map.of("url", context(contexts))))
        .build();
  }

  /** What the contexts of a refresh say. */
  static String context(int contexts) {
    return World.CANARY + "-refreshed-" + contexts;
  }

  VolumeIdentity identity() {
    return new VolumeIdentity(request.plugin(), request.handle());
  }

  boolean isSingleWriter() {
    return request.capability().accessMode() == AccessMode.SINGLE_NODE_SINGLE_WRITER;
  }
}
