package io.csi4j.conformance.internal.plugin;

import static io.csi4j.client.model.StatusCode.*;
import static io.csi4j.conformance.internal.plugin.LawfulRequests.*;
import static io.csi4j.conformance.internal.plugin.TestSnapshots.*;
import static io.csi4j.conformance.internal.plugin.TestVolumes.*;

import io.csi4j.client.internal.proto.CreateVolumeGroupSnapshotRequest;
import io.csi4j.client.internal.proto.CreateVolumeGroupSnapshotResponse;
import io.csi4j.client.internal.proto.GetVolumeGroupSnapshotRequest;
import io.csi4j.client.internal.proto.GetVolumeGroupSnapshotResponse;
import io.csi4j.client.internal.proto.Snapshot;
import io.csi4j.client.internal.proto.Volume;
import io.csi4j.client.internal.proto.VolumeGroupSnapshot;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Snapshots of several volumes at once. */
final class GroupCases {

  private GroupCases() {}

  static void addTo(CaseSteps all) {
    createCases(all);
    getCases(all);
  }

  private static void createCases(CaseSteps all) {
    all.add(
        "groups/create/a-group-is-made",
        t -> {
          Volume first = create(t);
          Volume second = create(t);
          var request = toGroup(t, first).addSourceVolumeIds(second.getVolumeId());
          VolumeGroupSnapshot group =
              named(t, t.taken(request, CreateVolumeGroupSnapshotResponse.class));
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
          VolumeGroupSnapshot unused = readyGroup(t, request);
          t.refused(request.setSourceVolumeIds(0, second.getVolumeId()), ALREADY_EXISTS);
        });
  }

  private static Set<String> ofMembers(VolumeGroupSnapshot group, Function<Snapshot, String> what) {
    return group.getSnapshotsList().stream().map(what).collect(Collectors.toSet());
  }

  /** Asked twice, the plugin makes one group. */
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

  private static void getCases(CaseSteps all) {
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
}
