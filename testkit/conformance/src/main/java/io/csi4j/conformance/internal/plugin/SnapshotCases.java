package io.csi4j.conformance.internal.plugin;

import static io.csi4j.client.model.StatusCode.ABORTED;
import static io.csi4j.client.model.StatusCode.INVALID_ARGUMENT;
import static io.csi4j.client.model.StatusCode.NOT_FOUND;
import static io.csi4j.client.model.StatusCode.OK;
import static io.csi4j.conformance.internal.plugin.LawfulRequests.NO_SUCH_SNAPSHOT;
import static io.csi4j.conformance.internal.plugin.LawfulRequests.NO_SUCH_VOLUME;
import static io.csi4j.conformance.internal.plugin.LawfulRequests.name128;
import static io.csi4j.conformance.internal.plugin.LawfulRequests.toDeleteSnapshot;
import static io.csi4j.conformance.internal.plugin.LawfulRequests.toFill;
import static io.csi4j.conformance.internal.plugin.LawfulRequests.toGetSnapshot;
import static io.csi4j.conformance.internal.plugin.LawfulRequests.toListSnapshots;
import static io.csi4j.conformance.internal.plugin.LawfulRequests.toSnapshot;

import io.csi4j.client.internal.proto.CreateSnapshotRequest;
import io.csi4j.client.internal.proto.CreateSnapshotResponse;
import io.csi4j.client.internal.proto.GetSnapshotResponse;
import io.csi4j.client.internal.proto.ListSnapshotsRequest;
import io.csi4j.client.internal.proto.ListSnapshotsResponse;
import io.csi4j.client.internal.proto.Snapshot;
import io.csi4j.client.internal.proto.Topology;
import io.csi4j.client.internal.proto.Volume;
import io.csi4j.client.internal.text.SafeText;
import java.util.List;

/** Snapshots of single volumes. */
final class SnapshotCases {

  private SnapshotCases() {}

  static void addTo(CaseSteps all) {
    made(all);
    deleted(all);
    told(all);
    listed(all);
    filtered(all);
    placed(all);
  }

  private static void placed(CaseSteps all) {
    all.add(
        "snapshots/place/none-is-told-without-the-capability",
        t ->
            t.check(
                TestSnapshots.snapshot(t, TestVolumes.create(t)).getAccessibleTopologyCount() == 0,
                "no accessible_topology, as the plugin has no SNAPSHOT_ACCESSIBILITY_CONSTRAINTS",
                "one"));
    all.add(
        "snapshots/place/a-snapshot-is-where-it-was-asked-for",
        t -> {
          Topology here = LawfulRequests.place(t);
          var request = toSnapshot(t, TestVolumes.create(t));
          request.getAccessibilityRequirementsBuilder().addRequisite(here);
          Snapshot snapshot = taken(t, request);
          t.check(
              isWithin(here, snapshot.getAccessibleTopologyList()),
              "an accessible_topology that includes the place that was asked for, or none",
              "others");
        });
    all.add(
        "snapshots/place/a-volume-is-made-where-its-snapshot-is",
        t -> {
          Snapshot snapshot = TestSnapshots.snapshot(t, TestVolumes.create(t));
          Volume volume = TestVolumes.made(t, toFill(t, snapshot));
          for (Topology each : volume.getAccessibleTopologyList()) {
            t.check(
                isWithin(each, snapshot.getAccessibleTopologyList()),
                "a volume in the places from where its snapshot can be used",
                "a volume in another");
          }
        });
  }

  /** Whether a place is in one of these; no place at all means everywhere. */
  private static boolean isWithin(Topology place, List<Topology> places) {
    return places.isEmpty()
        || places.stream()
            .anyMatch(each -> VolumeCases.place(place).within(VolumeCases.place(each)).isPresent());
  }

  private static void made(CaseSteps all) {
    all.required(
        "snapshots/create", t -> toSnapshot(t, TestVolumes.create(t)), "name", "source_volume_id");
    all.add(
        "snapshots/create/a-snapshot-is-made",
        t -> {
          Volume volume = TestVolumes.create(t);
          Snapshot snapshot = taken(t, toSnapshot(t, volume));
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
          t.adviseSize("snapshot_id", snapshot.getSnapshotId());
        });
    all.add(
        "snapshots/create/the-same-again-is-the-same-snapshot",
        t -> {
          var request = toSnapshot(t, TestVolumes.create(t));
          isCutOnce(t, request, taken(t, request));
        });
    all.add(
        "snapshots/create/a-name-of-128-bytes-is-accepted",
        t -> {
          Snapshot unused = TestSnapshots.deletedSnapshot(t);
          var request = toSnapshot(t, TestVolumes.create(t)).setName(name128(t));
          isCutOnce(t, request, TestSnapshots.cut(t, request));
        });
    all.ask(
        "snapshots/create/the-same-name-of-another-volume-is-refused",
        t -> {
          Volume first = TestVolumes.create(t);
          Volume second = TestVolumes.create(t);
          var request = toSnapshot(t, first);
          Snapshot unused = TestSnapshots.readySnapshot(t, request);
          return request.setSourceVolumeId(second.getVolumeId());
        });
    all.add(
        "snapshots/create/of-an-unknown-volume-is-refused",
        t -> t.refusedSomehow(toSnapshot(t, NO_SUCH_VOLUME)));
    all.add(
        "snapshots/create/two-names-are-two-snapshots",
        t -> {
          Volume volume = TestVolumes.create(t);
          String first = taken(t, toSnapshot(t, volume)).getSnapshotId();
          String second = taken(t, toSnapshot(t, volume)).getSnapshotId();
          t.check(!first.equals(second), "two ids", "the id " + SafeText.quote(first) + " twice");
        });
  }

  /** The snapshot of a request that fits the description. */
  private static Snapshot taken(Trial t, CreateSnapshotRequest.Builder request) {
    return TestSnapshots.named(t, t.taken(request, CreateSnapshotResponse.class));
  }

  /** Asked again, the plugin answers with the snapshot that it has cut first. */
  private static void isCutOnce(Trial t, CreateSnapshotRequest.Builder request, Snapshot first) {
    Snapshot again =
        TestSnapshots.named(
            t,
            TestSnapshots.repeated(
                t, request, first.getReadyToUse(), CreateSnapshotResponse.class));
    t.checkSame("the snapshot ", first.getSnapshotId(), again.getSnapshotId());
  }

  private static void deleted(CaseSteps all) {
    all.required("snapshots/delete", t -> toDeleteSnapshot(t, NO_SUCH_SNAPSHOT), "snapshot_id");
    all.add(
        "snapshots/delete/an-unknown-snapshot-is-gone-already",
        t -> UnknownThings.snapshot(t, OK, snapshot -> toDeleteSnapshot(t, snapshot)));
    all.add(
        "snapshots/delete/again-succeeds",
        t -> t.okTwice(toDeleteSnapshot(t, TestSnapshots.snapshot(t, TestVolumes.create(t)))));
    all.ask(
        "snapshots/delete/a-deleted-snapshot-fills-no-volume",
        t -> {
          Snapshot snapshot = TestSnapshots.deletedSnapshot(t);
          return toFill(t, snapshot);
        });
    all.ask(
        "snapshots/delete/a-snapshot-that-filled-a-volume-is-deleted-or-kept",
        t -> {
          Snapshot snapshot = TestSnapshots.snapshot(t, TestVolumes.create(t));
          t.prepared(() -> TestVolumes.made(t, toFill(t, snapshot)));
          return toDeleteSnapshot(t, snapshot);
        });
    all.ask(
        "snapshots/delete/a-member-of-a-group-is-deleted-or-kept",
        t -> {
          var group = TestSnapshots.group(t, TestVolumes.create(t));
          if (group.getSnapshotsCount() == 0) {
            throw new CaseEndedException.NotRun("the group has no members");
          }
          return toDeleteSnapshot(t, group.getSnapshots(0));
        });
  }

  private static void told(CaseSteps all) {
    all.required("snapshots/get", t -> toGetSnapshot(t, NO_SUCH_SNAPSHOT), "snapshot_id");
    all.add(
        "snapshots/get/an-unknown-snapshot-is-not-found",
        t -> UnknownThings.snapshot(t, NOT_FOUND, snapshot -> toGetSnapshot(t, snapshot)));
    all.add(
        "snapshots/get/tells-of-the-snapshot",
        t -> {
          Snapshot snapshot = TestSnapshots.snapshot(t, TestVolumes.create(t));
          Snapshot told = t.ok(toGetSnapshot(t, snapshot), GetSnapshotResponse.class).getSnapshot();
          t.check(
              told.getSnapshotId().equals(snapshot.getSnapshotId())
                  && told.getSourceVolumeId().equals(snapshot.getSourceVolumeId()),
              "the snapshot and its source",
              "the snapshot " + SafeText.quote(told.getSnapshotId()));
        });
  }

  private static List<Snapshot> listing(Trial t, ListSnapshotsRequest.Builder request) {
    return ListPages.entries(t, request).stream()
        .map(each -> ((ListSnapshotsResponse.Entry) each).getSnapshot())
        .toList();
  }

  private static boolean holds(List<Snapshot> list, Snapshot snapshot) {
    return list.stream().anyMatch(each -> each.getSnapshotId().equals(snapshot.getSnapshotId()));
  }

  private static void listed(CaseSteps all) {
    all.add(
        "snapshots/list/every-entry-names-a-snapshot",
        t -> {
          for (Snapshot each : listing(t, toListSnapshots(t))) {
            t.check(
                !each.getSnapshotId().isEmpty() && !each.getSourceVolumeId().isEmpty(),
                "a snapshot_id and a source_volume_id in each entry",
                "an empty one");
          }
        });
    all.add(
        "snapshots/list/a-new-snapshot-appears",
        t -> {
          Snapshot snapshot = TestSnapshots.snapshot(t, TestVolumes.create(t));
          t.check(
              holds(listing(t, toListSnapshots(t)), snapshot),
              "the new snapshot is listed",
              "it is not");
        });
    all.add(
        "snapshots/list/a-deleted-snapshot-disappears",
        t -> {
          Snapshot snapshot = TestSnapshots.deletedSnapshot(t);
          t.check(
              !holds(listing(t, toListSnapshots(t)), snapshot),
              "the deleted snapshot is not listed",
              "it is");
        });
    all.add(
        "snapshots/list/pages-hold-every-snapshot",
        t -> {
          Volume volume = TestVolumes.create(t);
          List<Snapshot> made =
              List.of(
                  TestSnapshots.snapshot(t, volume),
                  TestSnapshots.snapshot(t, volume),
                  TestSnapshots.snapshot(t, volume));
          for (Snapshot each : made) {
            t.check(
                isOnAPage(t, each),
                "the snapshot " + SafeText.quote(each.getSnapshotId()) + " is on one of the pages",
                "it is on none");
          }
        });
    all.add(
        "snapshots/list/an-invalid-token-is-aborted",
        t ->
            t.refusedRather(
                toListSnapshots(t).setStartingToken("csi4j-invalid-token"),
                ABORTED,
                INVALID_ARGUMENT));
  }

  /**
   * Whether one of three lists has the snapshot: a list in pages may miss one while others change.
   */
  private static boolean isOnAPage(Trial t, Snapshot snapshot) {
    for (int asked = 0; asked < 3; asked++) {
      if (holds(listing(t, toListSnapshots(t).setMaxEntries(1)), snapshot)) {
        return true;
      }
    }
    return false;
  }

  private static void filtered(CaseSteps all) {
    all.add(
        "snapshots/list/by-id-is-one",
        t -> {
          Volume volume = TestVolumes.create(t);
          Snapshot snapshot = TestSnapshots.snapshot(t, volume);
          TestSnapshots.snapshot(t, volume);
          var list = listing(t, toListSnapshots(t).setSnapshotId(snapshot.getSnapshotId()));
          isAlone(t, list, snapshot);
        });
    all.add(
        "snapshots/list/by-source-is-those-of-the-volume",
        t -> {
          Volume volume = TestVolumes.create(t);
          Snapshot snapshot = TestSnapshots.snapshot(t, volume);
          TestSnapshots.snapshot(t, TestVolumes.create(t));
          var list = listing(t, toListSnapshots(t).setSourceVolumeId(volume.getVolumeId()));
          isAlone(t, list, snapshot);
        });
    all.add(
        "snapshots/list/by-an-unknown-id-is-empty",
        t -> {
          TestSnapshots.snapshot(t, TestVolumes.create(t));
          String gone = TestSnapshots.deletedSnapshot(t).getSnapshotId();
          isEmpty(t, toListSnapshots(t).setSnapshotId(gone));
        });
    all.add(
        "snapshots/list/by-an-unknown-source-is-empty",
        t -> {
          TestSnapshots.snapshot(t, TestVolumes.create(t));
          isEmpty(t, toListSnapshots(t).setSourceVolumeId(TestVolumes.create(t).getVolumeId()));
        });
  }

  private static void isAlone(Trial t, List<Snapshot> list, Snapshot snapshot) {
    t.check(
        list.size() == 1 && holds(list, snapshot),
        "the snapshot " + SafeText.quote(snapshot.getSnapshotId()) + " alone",
        list.size() + " snapshots");
  }

  private static void isEmpty(Trial t, ListSnapshotsRequest.Builder request) {
    int size = listing(t, request).size();
    t.check(size == 0, "an empty list", size + " snapshots");
  }
}
