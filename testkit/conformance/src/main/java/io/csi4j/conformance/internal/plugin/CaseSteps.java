package io.csi4j.conformance.internal.plugin;

import io.csi4j.client.internal.proto.CreateVolumeRequest;
import io.csi4j.client.internal.proto.NodePublishVolumeRequest;
import io.csi4j.client.internal.proto.Snapshot;
import io.csi4j.client.internal.proto.Volume;
import io.csi4j.client.internal.proto.VolumeCapability;
import io.csi4j.client.internal.proto.VolumeGroupSnapshot;
import java.util.List;
import java.util.Map;

/** Steps that cases have in common; each fails the case if the plugin refuses it. */
final class CaseSteps {

  private CaseSteps() {}

  /** A new volume. */
  static Volume create(Trial t) throws CaseEndedException {
    return create(t, LawfulRequests.create(t).build());
  }

  /** The volume of this request. */
  static Volume create(Trial t, CreateVolumeRequest request) throws CaseEndedException {
    Volume volume = t.ok(CsiRpc.CREATE_VOLUME, request).getVolume();
    t.check(
        !volume.getVolumeId().isEmpty(),
        "the answer to CreateVolume names the volume",
        "an empty volume_id");
    return volume;
  }

  /** A volume to be used: a new one, or that of the description. */
  static Volume volume(Trial t) throws CaseEndedException {
    return volume(t, LawfulRequests.capability(t));
  }

  /** A volume to be used like that. */
  static Volume volume(Trial t, VolumeCapability capability) throws CaseEndedException {
    if (Needs.CREATE.met(t)) {
      return create(
          t,
          LawfulRequests.create(t)
              .clearVolumeCapabilities()
              .addVolumeCapabilities(capability)
              .build());
    }
    return Volume.newBuilder()
        .setVolumeId(t.plugin().existingVolume().orElseThrow().value())
        .putAllVolumeContext(t.plugin().existingContext().reveal())
        .build();
  }

  /** Attaches the volume if the plugin does so; the publish context. */
  static Map<String, String> attach(Trial t, Volume volume, VolumeCapability capability)
      throws CaseEndedException {
    return Needs.ATTACH.met(t)
        ? t.ok(
                CsiRpc.CONTROLLER_PUBLISH_VOLUME,
                LawfulRequests.attach(t, volume).setVolumeCapability(capability).build())
            .getPublishContextMap()
        : Map.of();
  }

  static Map<String, String> attach(Trial t, Volume volume) throws CaseEndedException {
    return attach(t, volume, LawfulRequests.capability(t));
  }

  /** Attaches and stages the volume, as far as the plugin does so; the publish context. */
  static Map<String, String> stage(Trial t, Volume volume, VolumeCapability capability)
      throws CaseEndedException {
    Map<String, String> context = attach(t, volume, capability);
    if (Needs.STAGING.met(t)) {
      t.ok(
          CsiRpc.NODE_STAGE_VOLUME,
          LawfulRequests.stage(t, volume, context).setVolumeCapability(capability).build());
    }
    return context;
  }

  static Map<String, String> stage(Trial t, Volume volume) throws CaseEndedException {
    return stage(t, volume, LawfulRequests.capability(t));
  }

  /** All that it takes to publish the volume; the last request. */
  static NodePublishVolumeRequest publish(Trial t, Volume volume, VolumeCapability capability)
      throws CaseEndedException {
    NodePublishVolumeRequest request =
        LawfulRequests.publish(t, volume, stage(t, volume, capability))
            .setVolumeCapability(capability)
            .build();
    t.ok(CsiRpc.NODE_PUBLISH_VOLUME, request);
    return request;
  }

  static NodePublishVolumeRequest publish(Trial t, Volume volume) throws CaseEndedException {
    return publish(t, volume, LawfulRequests.capability(t));
  }

  /** A new snapshot. */
  static Snapshot snapshot(Trial t, Volume volume) throws CaseEndedException {
    Snapshot snapshot =
        t.ok(CsiRpc.CREATE_SNAPSHOT, LawfulRequests.snapshot(t, volume.getVolumeId()).build())
            .getSnapshot();
    t.check(
        !snapshot.getSnapshotId().isEmpty(),
        "the answer to CreateSnapshot names the snapshot",
        "an empty snapshot_id");
    return snapshot;
  }

  /** A new group snapshot of these volumes. */
  static VolumeGroupSnapshot group(Trial t, Volume... volumes) throws CaseEndedException {
    VolumeGroupSnapshot group =
        t.ok(
                CsiRpc.CREATE_VOLUME_GROUP_SNAPSHOT,
                LawfulRequests.group(t, List.of(volumes).stream().map(Volume::getVolumeId).toList())
                    .build())
            .getGroupSnapshot();
    t.check(
        !group.getGroupSnapshotId().isEmpty(),
        "the answer to CreateVolumeGroupSnapshot names the group",
        "an empty group_snapshot_id");
    return group;
  }
}
