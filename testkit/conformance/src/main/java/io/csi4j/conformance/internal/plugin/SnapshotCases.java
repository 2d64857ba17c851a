package io.csi4j.conformance.internal.plugin;

import static io.csi4j.client.model.StatusCode.ABORTED;
import static io.csi4j.client.model.StatusCode.ALREADY_EXISTS;
import static io.csi4j.client.model.StatusCode.FAILED_PRECONDITION;
import static io.csi4j.client.model.StatusCode.INVALID_ARGUMENT;
import static io.csi4j.client.model.StatusCode.NOT_FOUND;
import static io.csi4j.client.model.StatusCode.OK;
import static io.csi4j.conformance.internal.plugin.Cases.NO_SUCH_SNAPSHOT;
import static io.csi4j.conformance.internal.plugin.Cases.NO_SUCH_VOLUME;
import static io.csi4j.conformance.internal.plugin.Cases.expect;
import static io.csi4j.conformance.internal.plugin.Cases.required;

import io.csi4j.client.internal.proto.CreateSnapshotRequest;
import io.csi4j.client.internal.proto.ListSnapshotsRequest;
import io.csi4j.client.internal.proto.ListSnapshotsResponse;
import io.csi4j.client.internal.proto.Snapshot;
import io.csi4j.client.internal.proto.Volume;
import io.csi4j.client.internal.text.SafeText;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Snapshots of single volumes. */
final class SnapshotCases {

  private static final int MANY_PAGES = 10_000;
  private static final List<Need> NEEDS = List.of(Needs.SNAPSHOTS, Needs.CREATE);
  private static final List<Need> LISTING =
      List.of(Needs.LIST_SNAPSHOTS, Needs.SNAPSHOTS, Needs.CREATE);

  private SnapshotCases() {}

  static List<SuiteCase> all() {
    List<SuiteCase> all = new ArrayList<>();
    made(all);
    deleted(all);
    told(all);
    listed(all);
    return all;
  }

  private static void made(List<SuiteCase> all) {
    String place = "CreateSnapshot";
    for (String field : List.of("name", "source_volume_id")) {
      all.add(
          required(
              "snapshots/create",
              CsiRpc.CREATE_SNAPSHOT,
              field,
              NEEDS,
              t -> LawfulRequests.snapshot(t, CaseSteps.create(t).getVolumeId()).build()));
    }
    all.add(
        expect(
            "snapshots/create/a-snapshot-is-made",
            "CreateSnapshot answers with the snapshot: its id, its source, and when it was cut.",
            place,
            NEEDS,
            t -> {
              Volume volume = CaseSteps.create(t);
              Snapshot snapshot = CaseSteps.snapshot(t, volume);
              t.check(
                  snapshot.getSourceVolumeId().equals(volume.getVolumeId()),
                  "the source_volume_id " + SafeText.quote(volume.getVolumeId()),
                  SafeText.quote(snapshot.getSourceVolumeId()));
              t.check(snapshot.hasCreationTime(), "a creation_time", "none");
              t.check(
                  snapshot.getSizeBytes() >= 0,
                  "a size that is not negative",
                  snapshot.getSizeBytes() + " bytes");
              t.check(
                  snapshot.getGroupSnapshotId().isEmpty(),
                  "no group_snapshot_id",
                  SafeText.quote(snapshot.getGroupSnapshotId()));
              FieldSizes.advise(t, "snapshot_id", snapshot.getSnapshotId());
            }));
    all.add(
        expect(
            "snapshots/create/the-same-again-is-the-same-snapshot",
            "CreateSnapshot is idempotent by name.",
            place,
            NEEDS,
            t -> again(t, LawfulRequests.snapshot(t, CaseSteps.create(t).getVolumeId()).build())));
    all.add(
        expect(
            "snapshots/create/a-name-of-128-bytes-is-accepted",
            "A name of 128 bytes is accepted.",
            place,
            NEEDS,
            t ->
                again(
                    t,
                    LawfulRequests.snapshot(t, CaseSteps.create(t).getVolumeId())
                        .setName(VolumeCases.long128(t))
                        .build())));
    all.add(
        expect(
                "snapshots/create/the-same-name-of-another-volume-is-refused",
                "A name that stands for the snapshot of another volume is refused.",
                place + " Errors",
                NEEDS,
                t -> {
                  Volume first = CaseSteps.create(t);
                  Volume second = CaseSteps.create(t);
                  CreateSnapshotRequest request =
                      LawfulRequests.snapshot(t, first.getVolumeId()).build();
                  t.ok(CsiRpc.CREATE_SNAPSHOT, request);
                  t.refused(
                      CsiRpc.CREATE_SNAPSHOT,
                      request.toBuilder().setSourceVolumeId(second.getVolumeId()).build(),
                      ALREADY_EXISTS);
                })
            .rows(2036));
    all.add(
        expect(
            "snapshots/create/of-an-unknown-volume-is-refused",
            "CreateSnapshot of a volume that does not exist is refused.",
            place,
            List.of(Needs.SNAPSHOTS),
            t ->
                t.refusedBest(
                    CsiRpc.CREATE_SNAPSHOT,
                    LawfulRequests.snapshot(t, NO_SUCH_VOLUME).build(),
                    NOT_FOUND,
                    INVALID_ARGUMENT)));
    all.add(
        expect(
            "snapshots/create/two-names-are-two-snapshots",
            "Snapshots of different names have different ids.",
            place,
            NEEDS,
            t -> {
              Volume volume = CaseSteps.create(t);
              Snapshot first = CaseSteps.snapshot(t, volume);
              Snapshot second = CaseSteps.snapshot(t, volume);
              t.check(
                  !first.getSnapshotId().equals(second.getSnapshotId()),
                  "two ids",
                  "the id " + SafeText.quote(first.getSnapshotId()) + " twice");
            }));
  }

  private static void again(Trial t, CreateSnapshotRequest request) throws CaseEndedException {
    Snapshot first = t.ok(CsiRpc.CREATE_SNAPSHOT, request).getSnapshot();
    Snapshot again = t.ok(CsiRpc.CREATE_SNAPSHOT, request).getSnapshot();
    t.check(
        !first.getSnapshotId().isEmpty() && first.getSnapshotId().equals(again.getSnapshotId()),
        "the snapshot " + SafeText.quote(first.getSnapshotId()),
        "the snapshot " + SafeText.quote(again.getSnapshotId()));
  }

  private static void deleted(List<SuiteCase> all) {
    String place = "DeleteSnapshot";
    all.add(
        required(
            "snapshots/delete",
            CsiRpc.DELETE_SNAPSHOT,
            "snapshot_id",
            List.of(Needs.SNAPSHOTS),
            t -> LawfulRequests.deleteSnapshot(t, NO_SUCH_SNAPSHOT)));
    all.add(
        expect(
            "snapshots/delete/an-unknown-snapshot-is-gone-already",
            "DeleteSnapshot of a snapshot that does not exist succeeds.",
            place,
            List.of(Needs.SNAPSHOTS),
            t -> {
              t.ok(CsiRpc.DELETE_SNAPSHOT, LawfulRequests.deleteSnapshot(t, NO_SUCH_SNAPSHOT));
            }));
    all.add(
        expect(
            "snapshots/delete/again-succeeds",
            "DeleteSnapshot is idempotent.",
            place,
            NEEDS,
            t -> {
              String id = CaseSteps.snapshot(t, CaseSteps.create(t)).getSnapshotId();
              t.ok(CsiRpc.DELETE_SNAPSHOT, LawfulRequests.deleteSnapshot(t, id));
              t.ok(CsiRpc.DELETE_SNAPSHOT, LawfulRequests.deleteSnapshot(t, id));
            }));
    all.add(
        expect(
            "snapshots/delete/a-deleted-snapshot-fills-no-volume",
            "What was deleted is known no more.",
            place,
            NEEDS,
            t -> {
              String id = CaseSteps.snapshot(t, CaseSteps.create(t)).getSnapshotId();
              t.ok(CsiRpc.DELETE_SNAPSHOT, LawfulRequests.deleteSnapshot(t, id));
              t.refused(
                  CsiRpc.CREATE_VOLUME,
                  LawfulRequests.create(t).setVolumeContentSource(VolumeCases.from(id)).build(),
                  NOT_FOUND);
            }));
    all.add(
        expect(
                "snapshots/delete/a-snapshot-that-filled-a-volume-is-deleted-or-kept",
                "DeleteSnapshot of a snapshot from which a volume was made succeeds, or is refused"
                    + " as in use.",
                place + " Errors",
                NEEDS,
                t -> {
                  Snapshot snapshot = CaseSteps.snapshot(t, CaseSteps.create(t));
                  CaseSteps.create(
                      t,
                      LawfulRequests.create(t)
                          .setVolumeContentSource(VolumeCases.from(snapshot.getSnapshotId()))
                          .build());
                  t.best(
                      CsiRpc.DELETE_SNAPSHOT,
                      LawfulRequests.deleteSnapshot(t, snapshot.getSnapshotId()),
                      OK,
                      FAILED_PRECONDITION);
                })
            .rows(2078));
    all.add(
        expect(
                "snapshots/delete/a-member-of-a-group-is-better-kept",
                "DeleteSnapshot of a snapshot that belongs to a group is refused as invalid.",
                place + " Errors",
                List.of(Needs.SNAPSHOTS, Needs.GROUPS, Needs.CREATE),
                t -> {
                  var group = CaseSteps.group(t, CaseSteps.create(t));
                  t.check(group.getSnapshotsCount() > 0, "a group with its members", "no members");
                  t.best(
                      CsiRpc.DELETE_SNAPSHOT,
                      LawfulRequests.deleteSnapshot(t, group.getSnapshots(0).getSnapshotId()),
                      INVALID_ARGUMENT);
                })
            .rows(2077));
  }

  private static void told(List<SuiteCase> all) {
    all.add(
        required(
            "snapshots/get",
            CsiRpc.GET_SNAPSHOT,
            "snapshot_id",
            List.of(Needs.GET_SNAPSHOT),
            t -> LawfulRequests.getSnapshot(t, NO_SUCH_SNAPSHOT)));
    all.add(
        expect(
                "snapshots/get/an-unknown-snapshot-is-not-found",
                "GetSnapshot of a snapshot that does not exist is refused.",
                "GetSnapshot Errors",
                List.of(Needs.GET_SNAPSHOT),
                t ->
                    t.refused(
                        CsiRpc.GET_SNAPSHOT,
                        LawfulRequests.getSnapshot(t, NO_SUCH_SNAPSHOT),
                        NOT_FOUND))
            .rows(2198));
    all.add(
        expect(
            "snapshots/get/tells-of-the-snapshot",
            "GetSnapshot tells the snapshot that was asked for.",
            "GetSnapshot",
            List.of(Needs.GET_SNAPSHOT, Needs.SNAPSHOTS, Needs.CREATE),
            t -> {
              Snapshot snapshot = CaseSteps.snapshot(t, CaseSteps.create(t));
              Snapshot told =
                  t.ok(CsiRpc.GET_SNAPSHOT, LawfulRequests.getSnapshot(t, snapshot.getSnapshotId()))
                      .getSnapshot();
              t.check(
                  told.getSnapshotId().equals(snapshot.getSnapshotId())
                      && told.getSourceVolumeId().equals(snapshot.getSourceVolumeId()),
                  "the snapshot and its source",
                  "the snapshot " + SafeText.quote(told.getSnapshotId()));
            }));
  }

  private static List<Snapshot> listing(Trial t, ListSnapshotsRequest from)
      throws CaseEndedException {
    List<Snapshot> found = new ArrayList<>();
    Set<String> tokens = new HashSet<>();
    String token = "";
    do {
      ListSnapshotsResponse page =
          t.ok(CsiRpc.LIST_SNAPSHOTS, from.toBuilder().setStartingToken(token).build());
      t.check(
          from.getMaxEntries() == 0 || page.getEntriesCount() <= from.getMaxEntries(),
          "at most " + from.getMaxEntries() + " entries on a page",
          page.getEntriesCount() + " entries");
      page.getEntriesList().forEach(each -> found.add(each.getSnapshot()));
      token = page.getNextToken();
      t.check(
          tokens.add(token) && tokens.size() < MANY_PAGES,
          "a listing that ends",
          "the next_token " + SafeText.quote(token) + " again, or too many pages");
    } while (!token.isEmpty());
    return found;
  }

  private static boolean holds(List<Snapshot> list, Snapshot snapshot) {
    return list.stream().anyMatch(each -> each.getSnapshotId().equals(snapshot.getSnapshotId()));
  }

  private static void listed(List<SuiteCase> all) {
    String place = "ListSnapshots";
    all.add(
        expect(
            "snapshots/list/every-entry-names-a-snapshot",
            "Every entry of the list has a snapshot with its id and its source.",
            place,
            List.of(Needs.LIST_SNAPSHOTS),
            t -> {
              for (Snapshot each : listing(t, LawfulRequests.listSnapshots(t).build())) {
                t.check(
                    !each.getSnapshotId().isEmpty() && !each.getSourceVolumeId().isEmpty(),
                    "a snapshot_id and a source_volume_id in each entry",
                    "an empty one");
              }
            }));
    all.add(
        expect(
            "snapshots/list/a-new-snapshot-appears",
            "A snapshot is on the list once it was made.",
            place,
            LISTING,
            t -> {
              Snapshot snapshot = CaseSteps.snapshot(t, CaseSteps.create(t));
              t.check(
                  holds(listing(t, LawfulRequests.listSnapshots(t).build()), snapshot),
                  "the new snapshot is listed",
                  "it is not");
            }));
    all.add(
        expect(
            "snapshots/list/a-deleted-snapshot-disappears",
            "A snapshot is off the list once it was deleted.",
            place,
            LISTING,
            t -> {
              Snapshot snapshot = CaseSteps.snapshot(t, CaseSteps.create(t));
              t.ok(
                  CsiRpc.DELETE_SNAPSHOT,
                  LawfulRequests.deleteSnapshot(t, snapshot.getSnapshotId()));
              t.check(
                  !holds(listing(t, LawfulRequests.listSnapshots(t).build()), snapshot),
                  "the deleted snapshot is not listed",
                  "it is");
            }));
    filtered(all, place);
    all.add(
        expect(
            "snapshots/list/pages-hold-every-snapshot",
            "Pages of one entry each hold every snapshot, and end.",
            place,
            LISTING,
            t -> {
              Volume volume = CaseSteps.create(t);
              List<Snapshot> made =
                  List.of(
                      CaseSteps.snapshot(t, volume),
                      CaseSteps.snapshot(t, volume),
                      CaseSteps.snapshot(t, volume));
              List<Snapshot> list =
                  listing(t, LawfulRequests.listSnapshots(t).setMaxEntries(1).build());
              for (Snapshot each : made) {
                t.check(
                    holds(list, each),
                    "the snapshot "
                        + SafeText.quote(each.getSnapshotId())
                        + " is on one of the pages",
                    "it is on none");
              }
            }));
    all.add(
        expect(
                "snapshots/list/an-invalid-token-is-aborted",
                "A starting_token that the plugin did not give is refused with ABORTED.",
                place + " Errors",
                List.of(Needs.LIST_SNAPSHOTS),
                t ->
                    t.refused(
                        CsiRpc.LIST_SNAPSHOTS,
                        LawfulRequests.listSnapshots(t)
                            .setStartingToken("csi4j-invalid-token")
                            .build(),
                        ABORTED))
            .rows(2152));
  }

  private static void filtered(List<SuiteCase> all, String place) {
    all.add(
        expect(
            "snapshots/list/by-id-is-one",
            "The list for an id holds that snapshot and no other.",
            place,
            LISTING,
            t -> {
              Volume volume = CaseSteps.create(t);
              Snapshot snapshot = CaseSteps.snapshot(t, volume);
              CaseSteps.snapshot(t, volume);
              only(
                  t,
                  listing(
                      t,
                      LawfulRequests.listSnapshots(t)
                          .setSnapshotId(snapshot.getSnapshotId())
                          .build()),
                  snapshot);
            }));
    all.add(
        expect(
            "snapshots/list/by-source-is-those-of-the-volume",
            "The list for a volume holds its snapshots and no others.",
            place,
            LISTING,
            t -> {
              Volume volume = CaseSteps.create(t);
              Snapshot snapshot = CaseSteps.snapshot(t, volume);
              CaseSteps.snapshot(t, CaseSteps.create(t));
              only(
                  t,
                  listing(
                      t,
                      LawfulRequests.listSnapshots(t)
                          .setSourceVolumeId(volume.getVolumeId())
                          .build()),
                  snapshot);
            }));
    all.add(
        expect(
            "snapshots/list/by-an-unknown-id-is-empty",
            "The list for an id that does not exist is empty.",
            place,
            LISTING,
            t -> {
              CaseSteps.snapshot(t, CaseSteps.create(t));
              empty(
                  t,
                  listing(
                      t, LawfulRequests.listSnapshots(t).setSnapshotId(NO_SUCH_SNAPSHOT).build()));
            }));
    all.add(
        expect(
            "snapshots/list/by-an-unknown-source-is-empty",
            "The list for a volume that does not exist is empty.",
            place,
            LISTING,
            t -> {
              CaseSteps.snapshot(t, CaseSteps.create(t));
              empty(
                  t,
                  listing(
                      t,
                      LawfulRequests.listSnapshots(t).setSourceVolumeId(NO_SUCH_VOLUME).build()));
            }));
  }

  private static void only(Trial t, List<Snapshot> list, Snapshot snapshot)
      throws CaseEndedException {
    t.check(
        list.size() == 1 && holds(list, snapshot),
        "the snapshot " + SafeText.quote(snapshot.getSnapshotId()) + " alone",
        list.size() + " snapshots");
  }

  private static void empty(Trial t, List<Snapshot> list) throws CaseEndedException {
    t.check(list.isEmpty(), "an empty list", list.size() + " snapshots");
  }
}
