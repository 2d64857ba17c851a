package io.csi4j.conformance.internal.plugin;

import static io.csi4j.client.model.StatusCode.ALREADY_EXISTS;
import static io.csi4j.client.model.StatusCode.INVALID_ARGUMENT;
import static io.csi4j.client.model.StatusCode.NOT_FOUND;
import static io.csi4j.conformance.internal.plugin.Cases.NO_SUCH_GROUP;
import static io.csi4j.conformance.internal.plugin.Cases.NO_SUCH_SNAPSHOT;
import static io.csi4j.conformance.internal.plugin.Cases.NO_SUCH_VOLUME;
import static io.csi4j.conformance.internal.plugin.Cases.expect;
import static io.csi4j.conformance.internal.plugin.Cases.required;

import io.csi4j.client.internal.proto.CreateVolumeGroupSnapshotRequest;
import io.csi4j.client.internal.proto.GroupControllerGetCapabilitiesRequest;
import io.csi4j.client.internal.proto.GroupControllerServiceCapability;
import io.csi4j.client.internal.proto.Snapshot;
import io.csi4j.client.internal.proto.Volume;
import io.csi4j.client.internal.proto.VolumeGroupSnapshot;
import io.csi4j.client.internal.text.SafeText;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Snapshots of several volumes at once. */
final class GroupCases {

  private static final List<Need> NEEDS = List.of(Needs.GROUPS, Needs.CREATE);
  private static final String CREATE = "CreateVolumeGroupSnapshot";
  private static final String DELETE = "DeleteVolumeGroupSnapshot";
  private static final String GET = "GetVolumeGroupSnapshot";

  private GroupCases() {}

  static List<SuiteCase> all() {
    List<SuiteCase> all = new ArrayList<>();
    made(all);
    deleted(all);
    told(all);
    return all;
  }

  private static VolumeGroupSnapshot unknown() {
    return VolumeGroupSnapshot.newBuilder()
        .setGroupSnapshotId(NO_SUCH_GROUP)
        .addSnapshots(Snapshot.newBuilder().setSnapshotId(NO_SUCH_SNAPSHOT))
        .build();
  }

  private static void made(List<SuiteCase> all) {
    all.add(
        expect(
            "groups/capabilities/are-well-formed",
            "Every capability of the group controller has a type.",
            "GroupControllerGetCapabilities",
            List.of(Needs.GROUP_CONTROLLER),
            t -> {
              for (GroupControllerServiceCapability each :
                  t.ok(
                          CsiRpc.GROUP_CONTROLLER_GET_CAPABILITIES,
                          GroupControllerGetCapabilitiesRequest.getDefaultInstance())
                      .getCapabilitiesList()) {
                t.check(each.hasRpc(), "a type in each capability", "a capability without type");
              }
            }));
    for (String field : List.of("name", "source_volume_ids")) {
      all.add(
          required(
              "groups/create",
              CsiRpc.CREATE_VOLUME_GROUP_SNAPSHOT,
              field,
              NEEDS,
              t -> LawfulRequests.group(t, List.of(CaseSteps.create(t).getVolumeId())).build()));
    }
    all.add(
        expect(
            "groups/create/a-group-is-made",
            "CreateVolumeGroupSnapshot answers with the group: its id, a snapshot of each volume"
                + " that names the group, and when it was cut.",
            CREATE,
            NEEDS,
            t -> {
              Volume first = CaseSteps.create(t);
              Volume second = CaseSteps.create(t);
              VolumeGroupSnapshot group = CaseSteps.group(t, first, second);
              t.check(group.hasCreationTime(), "a creation_time", "none");
              t.check(
                  group.getSnapshotsCount() == 2
                      && sources(group).equals(Set.of(first.getVolumeId(), second.getVolumeId())),
                  "a snapshot of each of the two volumes",
                  group.getSnapshotsCount()
                      + " snapshots of "
                      + sources(group).size()
                      + " volumes");
              for (Snapshot each : group.getSnapshotsList()) {
                t.check(
                    each.getGroupSnapshotId().equals(group.getGroupSnapshotId()),
                    "the group_snapshot_id "
                        + SafeText.quote(group.getGroupSnapshotId())
                        + " in each member",
                    SafeText.quote(each.getGroupSnapshotId()));
                t.check(!each.getSnapshotId().isEmpty(), "a snapshot_id in each member", "none");
              }
            }));
    all.add(
        expect(
            "groups/create/the-same-again-is-the-same-group",
            "CreateVolumeGroupSnapshot is idempotent by name.",
            CREATE,
            NEEDS,
            t ->
                again(
                    t,
                    LawfulRequests.group(t, List.of(CaseSteps.create(t).getVolumeId())).build())));
    all.add(
        expect(
            "groups/create/a-name-of-128-bytes-is-accepted",
            "A name of 128 bytes is accepted.",
            CREATE,
            NEEDS,
            t ->
                again(
                    t,
                    LawfulRequests.group(t, List.of(CaseSteps.create(t).getVolumeId()))
                        .setName(VolumeCases.long128(t))
                        .build())));
    all.add(
        expect(
                "groups/create/the-same-name-of-other-volumes-is-refused",
                "A name that stands for a group of other volumes is refused.",
                CREATE + " Errors",
                NEEDS,
                t -> {
                  String first = CaseSteps.create(t).getVolumeId();
                  String second = CaseSteps.create(t).getVolumeId();
                  CreateVolumeGroupSnapshotRequest request =
                      LawfulRequests.group(t, List.of(first)).build();
                  t.ok(CsiRpc.CREATE_VOLUME_GROUP_SNAPSHOT, request);
                  t.refused(
                      CsiRpc.CREATE_VOLUME_GROUP_SNAPSHOT,
                      request.toBuilder().clearSourceVolumeIds().addSourceVolumeIds(second).build(),
                      ALREADY_EXISTS);
                })
            .rows(3081));
    all.add(
        expect(
            "groups/create/of-an-unknown-volume-is-refused",
            "CreateVolumeGroupSnapshot with a volume that does not exist is refused.",
            CREATE,
            NEEDS,
            t ->
                t.refusedBest(
                    CsiRpc.CREATE_VOLUME_GROUP_SNAPSHOT,
                    LawfulRequests.group(
                            t, List.of(CaseSteps.create(t).getVolumeId(), NO_SUCH_VOLUME))
                        .build(),
                    NOT_FOUND,
                    INVALID_ARGUMENT)));
  }

  private static Set<String> sources(VolumeGroupSnapshot group) {
    return group.getSnapshotsList().stream()
        .map(Snapshot::getSourceVolumeId)
        .collect(Collectors.toSet());
  }

  private static Set<String> members(VolumeGroupSnapshot group) {
    return group.getSnapshotsList().stream()
        .map(Snapshot::getSnapshotId)
        .collect(Collectors.toSet());
  }

  private static void again(Trial t, CreateVolumeGroupSnapshotRequest request)
      throws CaseEndedException {
    VolumeGroupSnapshot first =
        t.ok(CsiRpc.CREATE_VOLUME_GROUP_SNAPSHOT, request).getGroupSnapshot();
    VolumeGroupSnapshot again =
        t.ok(CsiRpc.CREATE_VOLUME_GROUP_SNAPSHOT, request).getGroupSnapshot();
    t.check(
        first.getGroupSnapshotId().equals(again.getGroupSnapshotId())
            && members(first).equals(members(again)),
        "the group " + SafeText.quote(first.getGroupSnapshotId()) + " and its members",
        "the group " + SafeText.quote(again.getGroupSnapshotId()));
  }

  private static void deleted(List<SuiteCase> all) {
    all.add(
        required(
            "groups/delete",
            CsiRpc.DELETE_VOLUME_GROUP_SNAPSHOT,
            "group_snapshot_id",
            NEEDS,
            t -> LawfulRequests.deleteGroup(t, CaseSteps.group(t, CaseSteps.create(t))).build()));
    all.add(
        expect(
            "groups/delete/an-unknown-group-is-gone-already",
            "DeleteVolumeGroupSnapshot of a group that does not exist succeeds.",
            DELETE,
            List.of(Needs.GROUPS),
            t -> {
              t.ok(
                  CsiRpc.DELETE_VOLUME_GROUP_SNAPSHOT,
                  LawfulRequests.deleteGroup(t, unknown()).build());
            }));
    all.add(
        expect(
            "groups/delete/again-succeeds",
            "DeleteVolumeGroupSnapshot is idempotent.",
            DELETE,
            NEEDS,
            t -> {
              VolumeGroupSnapshot group = CaseSteps.group(t, CaseSteps.create(t));
              t.ok(
                  CsiRpc.DELETE_VOLUME_GROUP_SNAPSHOT,
                  LawfulRequests.deleteGroup(t, group).build());
              t.ok(
                  CsiRpc.DELETE_VOLUME_GROUP_SNAPSHOT,
                  LawfulRequests.deleteGroup(t, group).build());
            }));
    all.add(
        expect(
            "groups/delete/the-members-go-with-the-group",
            "A group that was deleted is known no more.",
            DELETE,
            NEEDS,
            t -> {
              VolumeGroupSnapshot group = CaseSteps.group(t, CaseSteps.create(t));
              t.ok(
                  CsiRpc.DELETE_VOLUME_GROUP_SNAPSHOT,
                  LawfulRequests.deleteGroup(t, group).build());
              t.refused(
                  CsiRpc.GET_VOLUME_GROUP_SNAPSHOT,
                  LawfulRequests.getGroup(t, group).build(),
                  NOT_FOUND);
            }));
    all.add(
        expect(
                "groups/delete/other-members-are-better-refused",
                "DeleteVolumeGroupSnapshot with snapshots that are not the group's is refused as"
                    + " invalid.",
                DELETE + " Errors",
                NEEDS,
                t -> {
                  t.best(
                      CsiRpc.DELETE_VOLUME_GROUP_SNAPSHOT,
                      LawfulRequests.deleteGroup(t, CaseSteps.group(t, CaseSteps.create(t)))
                          .clearSnapshotIds()
                          .addSnapshotIds(NO_SUCH_SNAPSHOT)
                          .build(),
                      INVALID_ARGUMENT);
                })
            .rows(3133));
  }

  private static void told(List<SuiteCase> all) {
    all.add(
        required(
            "groups/get",
            CsiRpc.GET_VOLUME_GROUP_SNAPSHOT,
            "group_snapshot_id",
            NEEDS,
            t -> LawfulRequests.getGroup(t, CaseSteps.group(t, CaseSteps.create(t))).build()));
    all.add(
        expect(
                "groups/get/an-unknown-group-is-not-found",
                "GetVolumeGroupSnapshot of a group that does not exist is refused.",
                GET + " Errors",
                List.of(Needs.GROUPS),
                t ->
                    t.refused(
                        CsiRpc.GET_VOLUME_GROUP_SNAPSHOT,
                        LawfulRequests.getGroup(t, unknown()).build(),
                        NOT_FOUND))
            .rows(3187));
    all.add(
        expect(
                "groups/get/other-members-are-better-refused",
                "GetVolumeGroupSnapshot with snapshots that are not the group's is refused as"
                    + " invalid.",
                GET + " Errors",
                NEEDS,
                t -> {
                  t.best(
                      CsiRpc.GET_VOLUME_GROUP_SNAPSHOT,
                      LawfulRequests.getGroup(t, CaseSteps.group(t, CaseSteps.create(t)))
                          .clearSnapshotIds()
                          .addSnapshotIds(NO_SUCH_SNAPSHOT)
                          .build(),
                      INVALID_ARGUMENT);
                })
            .rows(3186));
    all.add(
        expect(
            "groups/get/tells-of-the-group",
            "GetVolumeGroupSnapshot tells the group that was asked for, with its members.",
            GET,
            NEEDS,
            t -> {
              VolumeGroupSnapshot group = CaseSteps.group(t, CaseSteps.create(t));
              VolumeGroupSnapshot told =
                  t.ok(CsiRpc.GET_VOLUME_GROUP_SNAPSHOT, LawfulRequests.getGroup(t, group).build())
                      .getGroupSnapshot();
              t.check(
                  told.getGroupSnapshotId().equals(group.getGroupSnapshotId())
                      && new HashSet<>(members(told)).equals(members(group)),
                  "the group and its members",
                  "the group "
                      + SafeText.quote(told.getGroupSnapshotId())
                      + " with "
                      + told.getSnapshotsCount()
                      + " members");
            }));
  }
}
