package io.csi4j.testkit.internal.backend;

import com.google.protobuf.Timestamp;
import io.csi4j.client.internal.proto.CreateSnapshotRequest;
import io.csi4j.client.internal.proto.CreateSnapshotResponse;
import io.csi4j.client.internal.proto.DeleteSnapshotRequest;
import io.csi4j.client.internal.proto.DeleteSnapshotResponse;
import io.csi4j.client.internal.proto.GetSnapshotRequest;
import io.csi4j.client.internal.proto.GetSnapshotResponse;
import io.csi4j.client.internal.proto.Snapshot;
import io.csi4j.client.internal.text.SafeText;
import io.csi4j.testkit.internal.backend.Flights.Held;
import io.csi4j.testkit.internal.backend.Flights.Thing;
import io.csi4j.testkit.internal.backend.State.StoredSnapshot;
import io.csi4j.testkit.internal.backend.State.StoredVolume;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.testkit.model.Quirk;
import java.time.Instant;
import java.util.Optional;

/** Snapshots of single volumes. */
@SuppressWarnings("try") // What is held is held for its time.
final class SnapshotService {

  private final BackendParts ground;

  SnapshotService(BackendParts ground) {
    this.ground = ground;
  }

  CreateSnapshotResponse create(Call call, CreateSnapshotRequest request) throws Refusal {
    String source = request.getSourceVolumeId();
    try (Held held =
        ground
            .flights()
            .take(Thing.name("snapshot name", request.getName()), Thing.volume(source))) {
      Optional<StoredSnapshot> existing =
          ground.now().snapshots().values().stream()
              .filter(snapshot -> snapshot.asked().getName().equals(request.getName()))
              .findFirst();
      if (existing.isPresent()) {
        if (!existing.get().snapshot().getSourceVolumeId().equals(source)) {
          throw Refusal.exists(
              "A snapshot named "
                  + SafeText.quote(request.getName())
                  + " exists, and is of volume "
                  + SafeText.quote(existing.get().snapshot().getSourceVolumeId())
                  + ". Send that source_volume_id, or take another name.");
        }
        return answer(call.shape(), existing.get().snapshot());
      }
      StoredVolume volume = ground.volume("source_volume_id", source);
      Snapshot snapshot =
          cut(ground, volume)
              .setSnapshotId(ground.ids().next("snap", ground.now().snapshots().keySet()))
              .build();
      try (Knowledge.Reservation space =
          ground.knowledge().reserve(call.shape(), snapshot.getSizeBytes())) {
        Knowledge.effect(
            "Cutting the snapshot " + snapshot.getSnapshotId(),
            () -> ground.storage().snapshot(snapshot.getSnapshotId(), source));
        CreateSnapshotRequest asked = request.toBuilder().clearSecrets().build();
        ground
            .knowledge()
            .changeOrUndo(
                state ->
                    state
                        .snapshots()
                        .put(snapshot.getSnapshotId(), new StoredSnapshot(snapshot, asked)),
                () -> ground.storage().deleteSnapshot(snapshot.getSnapshotId()));
      }
      return answer(call.shape(), snapshot);
    }
  }

  /** A snapshot of a volume that is cut now. */
  static Snapshot.Builder cut(BackendParts ground, StoredVolume volume) {
    Instant now = ground.clock().now();
    return Snapshot.newBuilder()
        .setSourceVolumeId(volume.volume().getVolumeId())
        .setSizeBytes(volume.volume().getCapacityBytes())
        .setCreationTime(
            Timestamp.newBuilder().setSeconds(now.getEpochSecond()).setNanos(now.getNano()));
  }

  private CreateSnapshotResponse answer(PluginShape shape, Snapshot snapshot) {
    return CreateSnapshotResponse.newBuilder().setSnapshot(told(ground, shape, snapshot)).build();
  }

  /** Whether enough time went by since the cut. */
  static boolean ready(BackendParts ground, Snapshot snapshot) {
    Timestamp cut = snapshot.getCreationTime();
    Instant ready =
        Instant.ofEpochSecond(cut.getSeconds(), cut.getNanos()).plus(ground.snapshotsReadyAfter());
    return !ground.clock().now().isBefore(ready);
  }

  /** A snapshot as this plugin tells it now. */
  static Snapshot told(BackendParts ground, PluginShape shape, Snapshot snapshot) {
    Snapshot.Builder told = snapshot.toBuilder().setReadyToUse(ready(ground, snapshot));
    if (shape.has(Quirk.CAPACITY_UNTOLD)) {
      told.clearSizeBytes();
    }
    return told.build();
  }

  DeleteSnapshotResponse delete(Call call, DeleteSnapshotRequest request) throws Refusal {
    String id = request.getSnapshotId();
    refuseUsed(ground, id);
    try (Held held = ground.flights().take(Thing.snapshot(id))) {
      StoredSnapshot snapshot = ground.now().snapshots().get(id);
      if (snapshot == null) {
        VolumeService.gone(call.shape(), "snapshot", id);
        return DeleteSnapshotResponse.getDefaultInstance();
      }
      if (!snapshot.snapshot().getGroupSnapshotId().isEmpty()) {
        throw Refusal.invalid(
            "snapshot_id",
            SafeText.quote(id)
                + " belongs to the group "
                + SafeText.quote(snapshot.snapshot().getGroupSnapshotId())
                + ". Delete the group with DeleteVolumeGroupSnapshot.");
      }
      Knowledge.effect(
          "Deleting the snapshot " + SafeText.quote(id), () -> ground.storage().deleteSnapshot(id));
      ground.knowledge().change(state -> state.snapshots().remove(id));
      return DeleteSnapshotResponse.getDefaultInstance();
    }
  }

  /** Refuses what must not be done to a snapshot that a volume is being made of. */
  static void refuseUsed(BackendParts ground, String id) throws Refusal {
    if (ground.flights().isSource(Thing.snapshot(id))) {
      throw Refusal.precondition(
          "Snapshot "
              + SafeText.quote(id)
              + " is in use: a volume is being made of it. Wait for that, then delete it.");
    }
  }

  GetSnapshotResponse get(Call call, GetSnapshotRequest request) throws Refusal {
    StoredSnapshot snapshot = ground.now().snapshots().get(request.getSnapshotId());
    if (snapshot == null) {
      throw Refusal.notFound("snapshot_id", request.getSnapshotId());
    }
    return GetSnapshotResponse.newBuilder()
        .setSnapshot(told(ground, call.shape(), snapshot.snapshot()))
        .build();
  }
}
