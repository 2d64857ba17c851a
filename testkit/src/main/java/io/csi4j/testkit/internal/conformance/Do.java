package io.csi4j.testkit.internal.conformance;

import io.csi4j.client.internal.proto.CreateVolumeRequest;
import io.csi4j.client.internal.proto.NodePublishVolumeRequest;
import io.csi4j.client.internal.proto.Snapshot;
import io.csi4j.client.internal.proto.Volume;
import io.csi4j.client.internal.proto.VolumeCapability;
import io.csi4j.client.internal.proto.VolumeGroupSnapshot;
import java.util.List;
import java.util.Map;

/** Steps that cases have in common; each fails the case if the plugin refuses it. */
final class Do {

  private Do() {}

  /** A new volume. */
  static Volume create(Trial t) throws Ending {
    return create(t, Ask.create(t).build());
  }

  /** The volume of this request. */
  static Volume create(Trial t, CreateVolumeRequest request) throws Ending {
    Volume volume = t.ok(Rpc.CREATE_VOLUME, request).getVolume();
    t.check(
        !volume.getVolumeId().isEmpty(),
        "the answer to CreateVolume names the volume",
        "an empty volume_id");
    return volume;
  }

  /** A volume to be used: a new one, or that of the description. */
  static Volume volume(Trial t) throws Ending {
    return volume(t, Ask.capability(t));
  }

  /** A volume to be used like that. */
  static Volume volume(Trial t, VolumeCapability capability) throws Ending {
    if (Needs.CREATE.met(t)) {
      return create(
          t, Ask.create(t).clearVolumeCapabilities().addVolumeCapabilities(capability).build());
    }
    return Volume.newBuilder()
        .setVolumeId(t.plugin().existingVolume().orElseThrow().value())
        .putAllVolumeContext(t.plugin().existingContext().reveal())
        .build();
  }

  /** Attaches the volume if the plugin does so; the publish context. */
  static Map<String, String> attach(Trial t, Volume volume, VolumeCapability capability)
      throws Ending {
    return Needs.ATTACH.met(t)
        ? t.ok(
                Rpc.CONTROLLER_PUBLISH_VOLUME,
                Ask.attach(t, volume).setVolumeCapability(capability).build())
            .getPublishContextMap()
        : Map.of();
  }

  static Map<String, String> attach(Trial t, Volume volume) throws Ending {
    return attach(t, volume, Ask.capability(t));
  }

  /** Attaches and stages the volume, as far as the plugin does so; the publish context. */
  static Map<String, String> stage(Trial t, Volume volume, VolumeCapability capability)
      throws Ending {
    Map<String, String> context = attach(t, volume, capability);
    if (Needs.STAGING.met(t)) {
      t.ok(
          Rpc.NODE_STAGE_VOLUME,
          Ask.stage(t, volume, context).setVolumeCapability(capability).build());
    }
    return context;
  }

  static Map<String, String> stage(Trial t, Volume volume) throws Ending {
    return stage(t, volume, Ask.capability(t));
  }

  /** All that it takes to publish the volume; the last request. */
  static NodePublishVolumeRequest publish(Trial t, Volume volume, VolumeCapability capability)
      throws Ending {
    NodePublishVolumeRequest request =
        Ask.publish(t, volume, stage(t, volume, capability))
            .setVolumeCapability(capability)
            .build();
    t.ok(Rpc.NODE_PUBLISH_VOLUME, request);
    return request;
  }

  static NodePublishVolumeRequest publish(Trial t, Volume volume) throws Ending {
    return publish(t, volume, Ask.capability(t));
  }

  /** A new snapshot. */
  static Snapshot snapshot(Trial t, Volume volume) throws Ending {
    Snapshot snapshot =
        t.ok(Rpc.CREATE_SNAPSHOT, Ask.snapshot(t, volume.getVolumeId()).build()).getSnapshot();
    t.check(
        !snapshot.getSnapshotId().isEmpty(),
        "the answer to CreateSnapshot names the snapshot",
        "an empty snapshot_id");
    return snapshot;
  }

  /** A new group snapshot of these volumes. */
  static VolumeGroupSnapshot group(Trial t, Volume... volumes) throws Ending {
    VolumeGroupSnapshot group =
        t.ok(
                Rpc.CREATE_VOLUME_GROUP_SNAPSHOT,
                Ask.group(t, List.of(volumes).stream().map(Volume::getVolumeId).toList()).build())
            .getGroupSnapshot();
    t.check(
        !group.getGroupSnapshotId().isEmpty(),
        "the answer to CreateVolumeGroupSnapshot names the group",
        "an empty group_snapshot_id");
    return group;
  }
}
