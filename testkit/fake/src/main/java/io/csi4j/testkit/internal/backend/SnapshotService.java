package io.csi4j.testkit.internal.backend;

import com.google.protobuf.Timestamp;
import io.csi4j.client.identity.PluginCapability;
import io.csi4j.client.internal.proto.CreateSnapshotRequest;
import io.csi4j.client.internal.proto.CreateSnapshotResponse;
import io.csi4j.client.internal.proto.CreateVolumeGroupSnapshotRequest;
import io.csi4j.client.internal.proto.CreateVolumeGroupSnapshotResponse;
import io.csi4j.client.internal.proto.DeleteSnapshotRequest;
import io.csi4j.client.internal.proto.DeleteSnapshotResponse;
import io.csi4j.client.internal.proto.DeleteVolumeGroupSnapshotRequest;
import io.csi4j.client.internal.proto.DeleteVolumeGroupSnapshotResponse;
import io.csi4j.client.internal.proto.GetSnapshotRequest;
import io.csi4j.client.internal.proto.GetSnapshotResponse;
import io.csi4j.client.internal.proto.GetVolumeGroupSnapshotRequest;
import io.csi4j.client.internal.proto.GetVolumeGroupSnapshotResponse;
import io.csi4j.client.internal.proto.Snapshot;
import io.csi4j.client.internal.proto.TopologyRequirement;
import io.csi4j.client.internal.proto.VolumeGroupSnapshot;
import io.csi4j.client.internal.text.SafeText;
import io.csi4j.client.model.StatusCode;
import io.csi4j.testkit.internal.backend.Flights.Held;
import io.csi4j.testkit.internal.backend.Flights.Thing;
import io.csi4j.testkit.internal.backend.State.StoredGroup;
import io.csi4j.testkit.internal.backend.State.StoredSnapshot;
import io.csi4j.testkit.internal.backend.State.StoredVolume;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.testkit.model.Quirk;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Implements the calls for snapshots of single volumes and for group snapshots. */
@SuppressWarnings("try") // A try block holds a claim on a volume without using it.
final class SnapshotService {

  private final BackendParts ground;

  SnapshotService(BackendParts ground) {
    this.ground = ground;
  }

  CreateSnapshotResponse create(Call call, CreateSnapshotRequest request) throws Refusal {
    String source = request.getSourceVolumeId();
    TopologyRequirement wanted = request.getAccessibilityRequirements();
    VolumePlacement.check(call.shape(), wanted);
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
              "A snapshot named %s exists, and is of volume %s. Send that source_volume_id, or use"
                  + " another name.",
              request.getName(), existing.get().snapshot().getSourceVolumeId());
        }
        if (!wanted.equals(existing.get().asked().getAccessibilityRequirements())
            && !VolumePlacement.satisfies(
                existing.get().snapshot().getAccessibleTopologyList(), wanted)) {
          throw Refusal.exists(
              "A snapshot named %s exists in another place than accessibility_requirements names."
                  + " Send what it was created with, or use another name.",
              request.getName());
        }
        return answer(call.shape(), existing.get().snapshot());
      }
      StoredVolume volume = ground.volume("source_volume_id", source);
      Snapshot snapshot =
          cut(ground, volume)
              .setSnapshotId(ground.ids().next("snap", ground.now().snapshots().keySet()))
              .addAllAccessibleTopology(
                  VolumePlacement.placeSnapshot(call.shape(), wanted, volume.volume()))
              .build();
      CreateSnapshotRequest asked = request.toBuilder().clearSecrets().build();
      make(
          call.shape(),
          List.of(snapshot),
          state ->
              state.snapshots().put(snapshot.getSnapshotId(), new StoredSnapshot(snapshot, asked)));
      return answer(call.shape(), snapshot);
    }
  }

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

  /**
   * Returns whether the snapshot is ready to use, because enough time has passed since its
   * creation.
   */
  static boolean ready(BackendParts ground, Snapshot snapshot) {
    Timestamp cut = snapshot.getCreationTime();
    Instant ready =
        Instant.ofEpochSecond(cut.getSeconds(), cut.getNanos()).plus(ground.snapshotsReadyAfter());
    return !ground.clock().now().isBefore(ready);
  }

  /** Returns a snapshot as the plugin reports it now. */
  static Snapshot told(BackendParts ground, PluginShape shape, Snapshot snapshot) {
    Snapshot.Builder told = snapshot.toBuilder().setReadyToUse(ready(ground, snapshot));
    if (shape.has(Quirk.CAPACITY_UNTOLD)) {
      told.clearSizeBytes();
    }
    if (!shape.offers(PluginCapability.SNAPSHOT_ACCESSIBILITY_CONSTRAINTS)) {
      told.clearAccessibleTopology();
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
            "%s belongs to the group %s. Delete the group with DeleteVolumeGroupSnapshot.",
            id,
            snapshot.snapshot().getGroupSnapshotId());
      }
      ground.effect(
          "Deleting the snapshot " + SafeText.quote(id), () -> ground.storage().deleteSnapshot(id));
      ground.change(state -> state.snapshots().remove(id));
      return DeleteSnapshotResponse.getDefaultInstance();
    }
  }

  /** Refuses to delete a snapshot from which a volume is being created. */
  static void refuseUsed(BackendParts ground, String id) throws Refusal {
    if (ground.flights().isSource(Thing.snapshot(id))) {
      throw Refusal.precondition(
          "Snapshot %s is in use: a volume is being created from it. Wait for that, then delete"
              + " it.",
          id);
    }
  }

  GetSnapshotResponse get(Call call, GetSnapshotRequest request) throws Refusal {
    Snapshot snapshot = ground.snapshot("snapshot_id", request.getSnapshotId());
    return GetSnapshotResponse.newBuilder()
        .setSnapshot(told(ground, call.shape(), snapshot))
        .build();
  }

  CreateVolumeGroupSnapshotResponse createGroup(Call call, CreateVolumeGroupSnapshotRequest request)
      throws Refusal {
    List<Thing> things = new ArrayList<>();
    things.add(Thing.name("group snapshot name", request.getName()));
    Set<String> sources = new HashSet<>(request.getSourceVolumeIdsList());
    if (sources.size() < request.getSourceVolumeIdsCount()) {
      throw Refusal.invalid("source_volume_ids", "names a volume twice. Name each once.");
    }
    sources.forEach(source -> things.add(Thing.volume(source)));
    try (Held held = ground.flights().take(things)) {
      Optional<StoredGroup> existing =
          ground.now().groups().values().stream()
              .filter(group -> group.asked().getName().equals(request.getName()))
              .findFirst();
      if (existing.isPresent()) {
        same(existing.get().asked(), request);
        return answer(call.shape(), existing.get().group());
      }
      List<StoredVolume> volumes = new ArrayList<>();
      for (String source : request.getSourceVolumeIdsList()) {
        volumes.add(ground.volume("source_volume_ids", source));
      }
      together(volumes);
      return answer(call.shape(), make(call.shape(), request, volumes));
    }
  }

  private static void same(
      CreateVolumeGroupSnapshotRequest before, CreateVolumeGroupSnapshotRequest request)
      throws Refusal {
    if (!Set.copyOf(before.getSourceVolumeIdsList())
            .equals(Set.copyOf(request.getSourceVolumeIdsList()))
        || !before.getParametersMap().equals(request.getParametersMap())) {
      throw Refusal.exists(
          "A group snapshot named %s exists with other source_volume_ids or parameters. Send"
              + " those, or use another name.",
          request.getName());
    }
  }

  /** Refuses a group snapshot of volumes with different topologies. */
  private static void together(List<StoredVolume> volumes) throws Refusal {
    if (volumes.stream().map(each -> each.volume().getAccessibleTopologyList()).distinct().count()
        > 1) {
      throw Refusal.precondition(
          "The volumes of source_volume_ids are in different topologies and cannot be snapshotted"
              + " together. Move them into one topology first.");
    }
  }

  private VolumeGroupSnapshot make(
      PluginShape shape, CreateVolumeGroupSnapshotRequest request, List<StoredVolume> volumes)
      throws Refusal {
    String id = ground.ids().next("group", ground.now().groups().keySet());
    VolumeGroupSnapshot.Builder group = VolumeGroupSnapshot.newBuilder().setGroupSnapshotId(id);
    for (StoredVolume volume : volumes) {
      Snapshot member =
          cut(ground, volume)
              .setSnapshotId(ground.ids().next("snap", ground.now().snapshots().keySet()))
              .setGroupSnapshotId(id)
              .addAllAccessibleTopology(
                  VolumePlacement.placeSnapshot(
                      shape, TopologyRequirement.getDefaultInstance(), volume.volume()))
              .build();
      group.addSnapshots(member).setCreationTime(member.getCreationTime());
    }
    CreateVolumeGroupSnapshotRequest asked = request.toBuilder().clearSecrets().build();
    make(
        shape,
        group.getSnapshotsList(),
        state -> {
          state.groups().put(id, new StoredGroup(group.build(), asked));
          for (Snapshot member : group.getSnapshotsList()) {
            state
                .snapshots()
                .put(
                    member.getSnapshotId(),
                    new StoredSnapshot(member, CreateSnapshotRequest.getDefaultInstance()));
          }
        });
    return group.build();
  }

  /** Creates all of the snapshots. If one of them fails, creates none. */
  private void make(PluginShape shape, List<Snapshot> snapshots, Knowledge.Change change)
      throws Refusal {
    ground
        .knowledge()
        .make(
            shape,
            snapshots.stream().mapToLong(Snapshot::getSizeBytes).sum(),
            "Cutting " + snapshots.stream().map(Snapshot::getSnapshotId).toList(),
            () -> {
              for (Snapshot each : snapshots) {
                ground.storage().snapshot(each.getSnapshotId(), each.getSourceVolumeId());
              }
            },
            change,
            () -> {
              for (Snapshot each : snapshots) {
                ground.storage().deleteSnapshot(each.getSnapshotId());
              }
            });
  }

  private CreateVolumeGroupSnapshotResponse answer(PluginShape shape, VolumeGroupSnapshot group) {
    return CreateVolumeGroupSnapshotResponse.newBuilder()
        .setGroupSnapshot(told(shape, group))
        .build();
  }

  private VolumeGroupSnapshot told(PluginShape shape, VolumeGroupSnapshot group) {
    VolumeGroupSnapshot.Builder told = group.toBuilder().clearSnapshots().setReadyToUse(true);
    for (Snapshot member : group.getSnapshotsList()) {
      Snapshot now = told(ground, shape, member);
      told.addSnapshots(now).setReadyToUse(told.getReadyToUse() && now.getReadyToUse());
    }
    return told.build();
  }

  DeleteVolumeGroupSnapshotResponse deleteGroup(Call call, DeleteVolumeGroupSnapshotRequest request)
      throws Refusal {
    String id = request.getGroupSnapshotId();
    StoredGroup group = ground.now().groups().get(id);
    if (group == null) {
      VolumeService.gone(call.shape(), "group snapshot", id);
      return DeleteVolumeGroupSnapshotResponse.getDefaultInstance();
    }
    List<String> members = members(call, group, request.getSnapshotIdsList());
    for (String member : members) {
      refuseUsed(ground, member);
    }
    List<Thing> things = new ArrayList<>();
    things.add(Thing.name("group snapshot", id));
    members.forEach(member -> things.add(Thing.snapshot(member)));
    try (Held held = ground.flights().take(things)) {
      for (String member : members) {
        ground.effect(
            "Deleting the snapshot " + SafeText.quote(member),
            () -> ground.storage().deleteSnapshot(member));
      }
      ground.change(
          state -> {
            state.groups().remove(id);
            members.forEach(state.snapshots()::remove);
          });
      return DeleteVolumeGroupSnapshotResponse.getDefaultInstance();
    }
  }

  GetVolumeGroupSnapshotResponse getGroup(Call call, GetVolumeGroupSnapshotRequest request)
      throws Refusal {
    StoredGroup group = ground.now().groups().get(request.getGroupSnapshotId());
    if (group == null) {
      throw Refusal.notFound("group_snapshot_id", request.getGroupSnapshotId());
    }
    List<String> unused = members(call, group, request.getSnapshotIdsList());
    return GetVolumeGroupSnapshotResponse.newBuilder()
        .setGroupSnapshot(told(call.shape(), group.group()))
        .build();
  }

  private static List<String> members(Call call, StoredGroup group, List<String> ids)
      throws Refusal {
    List<String> members =
        group.group().getSnapshotsList().stream().map(Snapshot::getSnapshotId).toList();
    boolean leftOut = ids.isEmpty() && call.shape().has(Quirk.SNAPSHOT_IDS_NOT_NEEDED);
    if (!leftOut && !new HashSet<>(members).equals(new HashSet<>(ids))) {
      throw Refusal.of(
          StatusCode.INVALID_ARGUMENT,
          "snapshot_ids does not name the members of group %s. Send exactly the ids that"
              + " CreateVolumeGroupSnapshot returned.",
          group.group().getGroupSnapshotId());
    }
    return members;
  }
}
