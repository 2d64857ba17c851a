package io.csi4j.volume.model;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.MountFlags;
import io.csi4j.client.model.MountOptions;
import io.csi4j.client.model.PluginName;
import io.csi4j.client.model.SnapshotId;
import io.csi4j.client.model.Topology;
import io.csi4j.client.model.TopologyRequirement;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.model.VolumeId;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;

/** Volumes of which everything is stated that can be. */
public final class CatalogSamples {

  public static final VolumeKey KEY = VolumeKey.of(Namespace.of("shop"), "db-1");
  static final Topology A = Topology.of(Map.of("region", "r", "zone", "a"));
  static final Topology B = Topology.of(Map.of("region", "r", "zone", "b"));

  private CatalogSamples() {}

  public static VolumeSpec spec() {
    return VolumeSpec.builder(PluginId.of("ebs.csi.example"))
        .use(
            VolumeCapability.mount(
                AccessMode.SINGLE_NODE_SINGLE_WRITER,
                MountOptions.none().withFlags(MountFlags.of("ro", ""))))
        .use(AccessMode.MULTI_NODE_READER_ONLY, AttachmentMode.BLOCK)
        .capacity(CapacityRange.between(10, 20))
        .topologies(new TopologyRequirement(new LinkedHashSet<>(List.of(A, B)), List.of(B)))
        .parameters(Map.of("type", "ssd", "empty", ""))
        .mutableParameters(Map.of("iops", "3"))
        .mountOptions(
            MountOptions.none()
                .withFsType("xfs")
                .withFlags(MountFlags.of())
                .withVolumeMountGroup("17"))
        .secrets(SecretsReference.of("prod/ebs"))
        .fromSnapshot(SnapshotId.of("snap-1"))
        .ephemeral(true)
        .build();
  }

  public static CatalogVolume volume() {
    return CatalogVolume.builder(KEY, spec(), VolumeId.of("vol-1"))
        .provider(PluginName.of("ebs.csi.example"))
        .context(VolumeContext.of(Map.of("part", "1", "token", "s3cr3t")))
        .topologies(List.of(B, A))
        .capacityBytes(16)
        .pendingOnNode(CapacityRange.atLeast(16))
        .build();
  }
}
