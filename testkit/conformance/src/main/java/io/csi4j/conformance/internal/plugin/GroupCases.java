package io.csi4j.conformance.internal.plugin;

import static io.csi4j.client.model.StatusCode.*;
import static io.csi4j.conformance.internal.plugin.LawfulRequests.*;
import static io.csi4j.conformance.internal.plugin.TestSnapshots.*;
import static io.csi4j.conformance.internal.plugin.TestVolumes.*;
import static io.csi4j.conformance.internal.plugin.UnknownThings.*;

import io.csi4j.client.internal.proto.CreateVolumeGroupSnapshotRequest;
import io.csi4j.client.internal.proto.CreateVolumeGroupSnapshotResponse;
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
    createCases(all.under("groups/create"));
    deleteCases(all.under("groups/delete"));
    getCases(all.under("groups/get"));
  }

  private static void createCases(CaseSteps.Group all) {
    all.required(t -> toGroup(t, create(t)), "name", "source_volume_ids");
    all.add(
        "a-group-is-made",
        t -> {
          Volume first = create(t);
          Volume second = create(t);
          VolumeGroupSnapshot group =
              named(t, t.taken(toGroup(t, first, second), CreateVolumeGroupSnapshotResponse.class));
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
    all.add("the-same-again-is-the-same-group", t -> isOneGroup(t, toGroup(t, create(t))));
    all.add(
        "a-name-of-128-bytes-is-accepted",
        t -> isOneGroup(t, toGroup(t, create(t)).setName(name128(t))));
    all.ask(
        "the-same-name-of-other-volumes-is-refused",
        t -> {
          Volume first = create(t);
          Volume second = create(t);
          var request = toGroup(t, first);
          VolumeGroupSnapshot unused = readyGroup(t, request);
          return request.clearSourceVolumeIds().addSourceVolumeIds(second.getVolumeId());
        });
    all.add(
        "of-an-unknown-volume-is-refused",
        t -> t.refusedSomehow(toGroup(t, create(t), NO_SUCH_VOLUME)));
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

  private static void deleteCases(CaseSteps.Group all) {
    all.required(t -> toDeleteGroup(t, group(t, create(t))), "group_snapshot_id");
    all.add("an-unknown-group-is-gone-already", unknownGroup(OK, LawfulRequests::toDeleteGroup));
    all.add("again-succeeds", t -> t.okTwice(toDeleteGroup(t, group(t, create(t)))));
    all.ask(
        "the-members-go-with-the-group",
        t -> {
          VolumeGroupSnapshot group = group(t, create(t));
          t.prepare(toDeleteGroup(t, group));
          return toGetGroup(t, group);
        });
    all.ask(
        "other-members-are-better-refused",
        t ->
            toDeleteGroup(t, group(t, create(t)))
                .clearSnapshotIds()
                .addSnapshotIds(NO_SUCH_SNAPSHOT.getSnapshotId()));
  }

  private static void getCases(CaseSteps.Group all) {
    all.required(t -> toGetGroup(t, group(t, create(t))), "group_snapshot_id");
    all.add("an-unknown-group-is-not-found", unknownGroup(NOT_FOUND, LawfulRequests::toGetGroup));
    all.ask(
        "other-members-are-better-refused",
        t ->
            toGetGroup(t, group(t, create(t)))
                .clearSnapshotIds()
                .addSnapshotIds(NO_SUCH_SNAPSHOT.getSnapshotId()));
    all.add(
        "tells-of-the-group",
        t -> {
          VolumeGroupSnapshot group = group(t, create(t));
          var told = t.ok(toGetGroup(t, group), GetVolumeGroupSnapshotResponse.class);
          checkSame(t, group, told.getGroupSnapshot());
        });
  }
}
