package io.csi4j.conformance.internal.plugin;

import static io.csi4j.client.model.StatusCode.NOT_FOUND;
import static io.csi4j.client.model.StatusCode.OK;
import static io.csi4j.conformance.internal.plugin.LawfulRequests.NO_SUCH_SNAPSHOT;
import static io.csi4j.conformance.internal.plugin.LawfulRequests.NO_SUCH_VOLUME;
import static io.csi4j.conformance.internal.plugin.LawfulRequests.name128;
import static io.csi4j.conformance.internal.plugin.LawfulRequests.toDeleteGroup;
import static io.csi4j.conformance.internal.plugin.LawfulRequests.toGetGroup;
import static io.csi4j.conformance.internal.plugin.LawfulRequests.toGroup;

import io.csi4j.client.internal.proto.CreateVolumeGroupSnapshotRequest;
import io.csi4j.client.internal.proto.CreateVolumeGroupSnapshotResponse;
import io.csi4j.client.internal.proto.GetVolumeGroupSnapshotResponse;
import io.csi4j.client.internal.proto.Snapshot;
import io.csi4j.client.internal.proto.Volume;
import io.csi4j.client.internal.proto.VolumeGroupSnapshot;
import io.csi4j.client.internal.text.SafeText;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Snapshots of several volumes at once. */
final class GroupCases {

  private GroupCases() {}

  static void addTo(CaseSteps all) {
    made(all);
    deleted(all);
    told(all);
  }

  private static void made(CaseSteps all) {
    all.required(
        "groups/create", t -> toGroup(t, TestVolumes.create(t)), "name", "source_volume_ids");
    all.add(
        "groups/create/a-group-is-made",
        t -> {
          Volume first = TestVolumes.create(t);
          Volume second = TestVolumes.create(t);
          VolumeGroupSnapshot group =
              TestSnapshots.named(
                  t, t.taken(toGroup(t, first, second), CreateVolumeGroupSnapshotResponse.class));
          Set<String> sources = ofMembers(group, Snapshot::getSourceVolumeId);
          t.check(group.hasCreationTime(), "a creation_time", "none");
          t.check(
              group.getSnapshotsCount() == 2
                  && sources.equals(Set.of(first.getVolumeId(), second.getVolumeId())),
              "a snapshot of each of the two volumes",
              group.getSnapshotsCount() + " snapshots of " + sources.size() + " volumes");
          for (Snapshot each : group.getSnapshotsList()) {
            t.check(
                each.getGroupSnapshotId().equals(group.getGroupSnapshotId()),
                "the group_snapshot_id "
                    + SafeText.quote(group.getGroupSnapshotId())
                    + " in each member",
                SafeText.quote(each.getGroupSnapshotId()));
            t.check(!each.getSnapshotId().isEmpty(), "a snapshot_id in each member", "none");
          }
        });
    all.add(
        "groups/create/the-same-again-is-the-same-group",
        t -> isOneGroup(t, toGroup(t, TestVolumes.create(t))));
    all.add(
        "groups/create/a-name-of-128-bytes-is-accepted",
        t -> isOneGroup(t, toGroup(t, TestVolumes.create(t)).setName(name128(t))));
    all.ask(
        "groups/create/the-same-name-of-other-volumes-is-refused",
        t -> {
          Volume first = TestVolumes.create(t);
          Volume second = TestVolumes.create(t);
          var request = toGroup(t, first);
          VolumeGroupSnapshot unused = TestSnapshots.readyGroup(t, request);
          return request.clearSourceVolumeIds().addSourceVolumeIds(second.getVolumeId());
        });
    all.add(
        "groups/create/of-an-unknown-volume-is-refused",
        t -> t.refusedSomehow(toGroup(t, TestVolumes.create(t), NO_SUCH_VOLUME)));
  }

  private static Set<String> ofMembers(VolumeGroupSnapshot group, Function<Snapshot, String> what) {
    return group.getSnapshotsList().stream().map(what).collect(Collectors.toSet());
  }

  /** Asked twice, the plugin makes one group. */
  private static void isOneGroup(Trial t, CreateVolumeGroupSnapshotRequest.Builder request) {
    var first = t.taken(request, CreateVolumeGroupSnapshotResponse.class).getGroupSnapshot();
    var again =
        TestSnapshots.repeated(
                t, request, first.getReadyToUse(), CreateVolumeGroupSnapshotResponse.class)
            .getGroupSnapshot();
    t.check(
        first.getGroupSnapshotId().equals(again.getGroupSnapshotId())
            && ofMembers(first, Snapshot::getSnapshotId)
                .equals(ofMembers(again, Snapshot::getSnapshotId)),
        "the group " + SafeText.quote(first.getGroupSnapshotId()) + " and its members",
        "the group " + SafeText.quote(again.getGroupSnapshotId()));
  }

  private static void deleted(CaseSteps all) {
    all.required(
        "groups/delete",
        t -> toDeleteGroup(t, TestSnapshots.group(t, TestVolumes.create(t))),
        "group_snapshot_id");
    all.add(
        "groups/delete/an-unknown-group-is-gone-already",
        t -> UnknownThings.group(t, OK, group -> toDeleteGroup(t, group)));
    all.add(
        "groups/delete/again-succeeds",
        t -> t.okTwice(toDeleteGroup(t, TestSnapshots.group(t, TestVolumes.create(t)))));
    all.ask(
        "groups/delete/the-members-go-with-the-group",
        t -> {
          VolumeGroupSnapshot group = TestSnapshots.group(t, TestVolumes.create(t));
          t.prepare(toDeleteGroup(t, group));
          return toGetGroup(t, group);
        });
    all.ask(
        "groups/delete/other-members-are-better-refused",
        t ->
            toDeleteGroup(t, TestSnapshots.group(t, TestVolumes.create(t)))
                .clearSnapshotIds()
                .addSnapshotIds(NO_SUCH_SNAPSHOT.getSnapshotId()));
  }

  private static void told(CaseSteps all) {
    all.required(
        "groups/get",
        t -> toGetGroup(t, TestSnapshots.group(t, TestVolumes.create(t))),
        "group_snapshot_id");
    all.add(
        "groups/get/an-unknown-group-is-not-found",
        t -> UnknownThings.group(t, NOT_FOUND, group -> toGetGroup(t, group)));
    all.ask(
        "groups/get/other-members-are-better-refused",
        t ->
            toGetGroup(t, TestSnapshots.group(t, TestVolumes.create(t)))
                .clearSnapshotIds()
                .addSnapshotIds(NO_SUCH_SNAPSHOT.getSnapshotId()));
    all.add(
        "groups/get/tells-of-the-group",
        t -> {
          VolumeGroupSnapshot group = TestSnapshots.group(t, TestVolumes.create(t));
          var told =
              t.ok(toGetGroup(t, group), GetVolumeGroupSnapshotResponse.class).getGroupSnapshot();
          t.check(
              told.getGroupSnapshotId().equals(group.getGroupSnapshotId())
                  && ofMembers(told, Snapshot::getSnapshotId)
                      .equals(ofMembers(group, Snapshot::getSnapshotId)),
              "the group and its members",
              "the group "
                  + SafeText.quote(told.getGroupSnapshotId())
                  + " with "
                  + told.getSnapshotsCount()
                  + " members");
        });
  }
}
