package io.csi4j.conformance.internal.plugin;

import static io.csi4j.client.model.StatusCode.*;
import static io.csi4j.conformance.internal.plugin.LawfulRequests.*;
import static io.csi4j.conformance.internal.plugin.TestThings.*;

import com.google.protobuf.Message;
import io.csi4j.client.internal.proto.CreateSnapshotRequest;
import io.csi4j.client.internal.proto.CreateSnapshotResponse;
import io.csi4j.client.internal.proto.CreateVolumeGroupSnapshotRequest;
import io.csi4j.client.internal.proto.CreateVolumeGroupSnapshotResponse;
import io.csi4j.client.internal.proto.GetSnapshotRequest;
import io.csi4j.client.internal.proto.GetSnapshotResponse;
import io.csi4j.client.internal.proto.GetVolumeGroupSnapshotRequest;
import io.csi4j.client.internal.proto.GetVolumeGroupSnapshotResponse;
import io.csi4j.client.internal.proto.ListSnapshotsRequest;
import io.csi4j.client.internal.proto.ListSnapshotsResponse;
import io.csi4j.client.internal.proto.Snapshot;
import io.csi4j.client.internal.proto.Topology;
import io.csi4j.client.internal.proto.Volume;
import io.csi4j.client.internal.proto.VolumeGroupSnapshot;
import io.csi4j.client.internal.text.SafeText;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Cases for snapshots of single volumes, and for group snapshots. */
final class SnapshotCases {

  private SnapshotCases() {}

  static void addTo(CaseSteps all) {
    createCases(all);
    deleteCases(all);
    getCases(all);
    listCases(all);
    filterCases(all);
    placeCases(all);
    groupCases(all);
  }

  private static void placeCases(CaseSteps all) {
    all.add(
        "snapshots/place/none-is-told-without-the-capability",
        t ->
            t.check(
                snapshot(t, create(t)).getAccessibleTopologyCount() == 0,
                "no accessible_topology, as the plugin has no SNAPSHOT_ACCESSIBILITY_CONSTRAINTS",
                "one"));
    all.add(
        "snapshots/place/a-snapshot-is-where-it-was-asked-for",
        t -> {
          Topology here = place(t);
          var request = toSnapshot(t, create(t));
          request.getAccessibilityRequirementsBuilder().addRequisite(here);
          Snapshot snapshot = taken(t, request);
          t.check(
              isWithin(here, snapshot.getAccessibleTopologyList()),
              "an accessible_topology that includes the requested place, or none",
              "others");
        });
    all.add(
        "snapshots/place/a-volume-is-made-where-its-snapshot-is",
        t -> {
          Snapshot snapshot = snapshot(t, create(t));
          Volume volume = made(t, toCreate(t, snapshot));
          for (Topology each : volume.getAccessibleTopologyList()) {
            t.check(
                isWithin(each, snapshot.getAccessibleTopologyList()),
                "a volume in the places from where its snapshot can be used",
                "a volume in another");
          }
        });
  }

  /**
   * Returns whether one of {@code places} contains the topology. An empty list contains every
   * topology.
   */
  private static boolean isWithin(Topology place, List<Topology> places) {
    return places.isEmpty()
        || places.stream()
            .anyMatch(
                each ->
                    VolumeCases.comparable(place).within(VolumeCases.comparable(each)).isPresent());
  }

  private static void createCases(CaseSteps all) {
    all.add(
        "snapshots/create/a-snapshot-is-made",
        t -> {
          Volume volume = create(t);
          Snapshot snapshot = taken(t, toSnapshot(t, volume));
          t.checkSame("the source_volume_id ", volume.getVolumeId(), snapshot.getSourceVolumeId());
          t.check(snapshot.hasCreationTime(), "a creation_time", "none");
          t.check(
              snapshot.getSizeBytes() >= 0,
              "a size that is not negative",
              snapshot.getSizeBytes() + " bytes");
          t.check(
              snapshot.getGroupSnapshotId().isEmpty(),
              "no group_snapshot_id",
              SafeText.quote(snapshot.getGroupSnapshotId()));
          t.adviseSize("snapshot_id", snapshot.getSnapshotId());
        });
    all.add(
        "snapshots/create/the-same-again-is-the-same-snapshot",
        t -> {
          var request = toSnapshot(t, create(t));
          isCutOnce(t, request, taken(t, request));
        });
    all.add(
        "snapshots/create/a-name-of-128-bytes-is-accepted",
        t -> {
          Snapshot unused = deletedSnapshot(t);
          var request = toSnapshot(t, create(t)).setName(name128(t));
          isCutOnce(t, request, cut(t, request));
        });
    all.add(
        "snapshots/create/the-same-name-of-another-volume-is-refused",
        t -> {
          Volume first = create(t);
          Volume second = create(t);
          var request = toSnapshot(t, first);
          Message unused = ready(t, request);
          t.refused(request.setSourceVolumeId(second.getVolumeId()), ALREADY_EXISTS);
        });
    all.add(
        "snapshots/create/two-names-are-two-snapshots",
        t -> {
          Volume volume = create(t);
          String first = taken(t, toSnapshot(t, volume)).getSnapshotId();
          String second = taken(t, toSnapshot(t, volume)).getSnapshotId();
          t.check(!first.equals(second), "two ids", "the id " + SafeText.quote(first) + " twice");
        });
  }

  /**
   * Creates a snapshot with this request. If the plugin does not accept the values in its
   * description, the case ends without a verdict.
   */
  private static Snapshot taken(Trial t, CreateSnapshotRequest.Builder request) {
    return (Snapshot) named(t, t.taken(request, CreateSnapshotResponse.class));
  }

  /** Checks that a repeated request returns the first snapshot, and creates no other. */
  private static void isCutOnce(Trial t, CreateSnapshotRequest.Builder request, Snapshot first) {
    Message created = repeated(t, request, first.getReadyToUse(), CreateSnapshotResponse.class);
    Snapshot again = (Snapshot) named(t, created);
    t.checkSame("the snapshot ", first.getSnapshotId(), again.getSnapshotId());
  }

  private static void deleteCases(CaseSteps all) {
    all.add(
        "snapshots/delete/a-snapshot-that-filled-a-volume-is-deleted-or-kept",
        t -> {
          Snapshot snapshot = snapshot(t, create(t));
          t.prepared(() -> made(t, toCreate(t, snapshot)));
          t.best(toDeleteSnapshot(t, snapshot), OK, FAILED_PRECONDITION);
        });
    all.add(
        "snapshots/delete/a-member-of-a-group-is-deleted-or-kept",
        t -> {
          var group = group(t);
          if (group.getSnapshotsCount() == 0) {
            throw CaseEndedException.notRun("the group has no members");
          }
          t.best(toDeleteSnapshot(t, group.getSnapshots(0)), OK, INVALID_ARGUMENT);
        });
  }

  private static void getCases(CaseSteps all) {
    all.add(
        "snapshots/get/tells-of-the-snapshot",
        t -> {
          Snapshot snapshot = snapshot(t, create(t));
          Snapshot told =
              t.ok(to(t, GetSnapshotRequest.newBuilder(), snapshot), GetSnapshotResponse.class)
                  .getSnapshot();
          t.checkSame("the snapshot ", snapshot.getSnapshotId(), told.getSnapshotId());
          t.checkSame("its source ", snapshot.getSourceVolumeId(), told.getSourceVolumeId());
        });
  }

  private static ListSnapshotsRequest.Builder toList(Trial t) {
    return to(t, ListSnapshotsRequest.newBuilder(), NOTHING);
  }

  private static List<String> ids(Trial t, ListSnapshotsRequest.Builder request) {
    return ListPages.ids(t, "snapshot", request);
  }

  private static void listCases(CaseSteps all) {
    ListPages.addTo(
        all,
        "snapshots/list",
        "snapshot",
        SnapshotCases::toList,
        t -> snapshot(t, create(t)).getSnapshotId(),
        t -> deletedSnapshot(t).getSnapshotId());
    all.add(
        "snapshots/list/every-entry-names-a-snapshot",
        t -> {
          for (Message each : ListPages.entries(t, toList(t))) {
            Snapshot snapshot = ((ListSnapshotsResponse.Entry) each).getSnapshot();
            t.check(
                !snapshot.getSnapshotId().isEmpty() && !snapshot.getSourceVolumeId().isEmpty(),
                "a snapshot_id and a source_volume_id in each entry",
                "an empty one");
          }
        });
  }

  private static void filterCases(CaseSteps all) {
    all.add(
        "snapshots/list/by-id-is-one",
        t -> {
          Volume volume = create(t);
          Snapshot snapshot = snapshot(t, volume);
          snapshot(t, volume);
          isAlone(t, snapshot, toList(t).setSnapshotId(snapshot.getSnapshotId()));
        });
    all.add(
        "snapshots/list/by-source-is-those-of-the-volume",
        t -> {
          Volume volume = create(t);
          Snapshot snapshot = snapshot(t, volume);
          snapshot(t, create(t));
          isAlone(t, snapshot, toList(t).setSourceVolumeId(volume.getVolumeId()));
        });
    all.add(
        "snapshots/list/by-an-unknown-id-is-empty",
        t -> {
          snapshot(t, create(t));
          String gone = deletedSnapshot(t).getSnapshotId();
          isEmpty(t, toList(t).setSnapshotId(gone));
        });
    all.add(
        "snapshots/list/by-an-unknown-source-is-empty",
        t -> {
          snapshot(t, create(t));
          isEmpty(t, toList(t).setSourceVolumeId(create(t).getVolumeId()));
        });
  }

  private static void isAlone(Trial t, Snapshot snapshot, ListSnapshotsRequest.Builder request) {
    List<String> list = ids(t, request);
    t.check(
        list.equals(List.of(snapshot.getSnapshotId())),
        "the snapshot " + SafeText.quote(snapshot.getSnapshotId()) + " alone",
        list.size() + " snapshots");
  }

  private static void isEmpty(Trial t, ListSnapshotsRequest.Builder request) {
    int size = ids(t, request).size();
    t.check(size == 0, "an empty list", size + " snapshots");
  }

  private static void groupCases(CaseSteps all) {
    all.add(
        "groups/create/a-group-is-made",
        t -> {
          Volume first = create(t);
          Volume second = create(t);
          var request = toGroup(t, first).addSourceVolumeIds(second.getVolumeId());
          VolumeGroupSnapshot group =
              (VolumeGroupSnapshot) named(t, t.taken(request, Message.class));
          Set<String> sources = ofMembers(group, Snapshot::getSourceVolumeId);
          t.check(group.hasCreationTime(), "a creation_time", "none");
          t.check(
              group.getSnapshotsCount() == 2
                  && sources.equals(Set.of(first.getVolumeId(), second.getVolumeId())),
              "a snapshot of each of the two volumes",
              group.getSnapshotsCount() + " snapshots of " + sources.size() + " volumes");
          for (Snapshot each : group.getSnapshotsList()) {
            t.checkSame(
                "in each member the group_snapshot_id ",
                group.getGroupSnapshotId(),
                each.getGroupSnapshotId());
            t.check(!each.getSnapshotId().isEmpty(), "a snapshot_id in each member", "none");
          }
        });
    all.add(
        "groups/create/the-same-again-is-the-same-group",
        t -> isOneGroup(t, toGroup(t, create(t))));
    all.add(
        "groups/create/a-name-of-128-bytes-is-accepted",
        t -> isOneGroup(t, toGroup(t, create(t)).setName(name128(t))));
    all.add(
        "groups/create/the-same-name-of-other-volumes-is-refused",
        t -> {
          Volume first = create(t);
          Volume second = create(t);
          var request = toGroup(t, first);
          Message unused = ready(t, request);
          t.refused(request.setSourceVolumeIds(0, second.getVolumeId()), ALREADY_EXISTS);
        });
    all.add(
        "groups/get/tells-of-the-group",
        t -> {
          VolumeGroupSnapshot group = group(t);
          var told =
              t.ok(
                  to(t, GetVolumeGroupSnapshotRequest.newBuilder(), group),
                  GetVolumeGroupSnapshotResponse.class);
          checkSame(t, group, told.getGroupSnapshot());
        });
  }

  private static Set<String> ofMembers(VolumeGroupSnapshot group, Function<Snapshot, String> what) {
    return group.getSnapshotsList().stream().map(what).collect(Collectors.toSet());
  }

  /** Checks that a repeated request returns the first group, and creates no other. */
  private static void isOneGroup(Trial t, CreateVolumeGroupSnapshotRequest.Builder request) {
    var first = t.taken(request, CreateVolumeGroupSnapshotResponse.class).getGroupSnapshot();
    var again =
        repeated(t, request, first.getReadyToUse(), CreateVolumeGroupSnapshotResponse.class)
            .getGroupSnapshot();
    checkSame(t, first, again);
  }

  private static void checkSame(Trial t, VolumeGroupSnapshot expected, VolumeGroupSnapshot got) {
    Set<String> members = ofMembers(expected, Snapshot::getSnapshotId);
    t.checkSame("the group ", expected.getGroupSnapshotId(), got.getGroupSnapshotId());
    t.check(
        ofMembers(got, Snapshot::getSnapshotId).equals(members),
        "the group with its " + members.size() + " members",
        "the group with " + got.getSnapshotsCount() + " members");
  }
}
