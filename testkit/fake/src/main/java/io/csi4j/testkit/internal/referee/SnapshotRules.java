package io.csi4j.testkit.internal.referee;

import io.csi4j.testkit.journal.RecordedCall;
import io.csi4j.testkit.journal.WireMessage;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Snapshots, group snapshots and their members. */
final class SnapshotRules extends DutyRule {

  SnapshotRules(Hearing hearing) {
    super(hearing, "Snapshots and groups", 204, 313, 323, 330, 331, 489, 501, 509, 527);
  }

  @Override
  void began(RecordedCall call) {
    switch (call.operation()) {
      case CREATE_VOLUME -> source(call);
      case DELETE_SNAPSHOT -> delete(call);
      case DELETE_VOLUME_GROUP_SNAPSHOT -> members(call, 501);
      case GET_VOLUME_GROUP_SNAPSHOT -> members(call, 509);
      case GET_METADATA_DELTA -> delta(call);
      default -> {}
    }
  }

  private void source(RecordedCall call) {
    WireMessage source = call.request().message("volume_content_source");
    KnownSnapshot snapshot = world.snapshot(source.message("snapshot").text("snapshot_id"));
    if (snapshot == null) {
      return;
    }
    judge(
        snapshot.ready(),
        call,
        "from a snapshot that was not ready_to_use when it was last told. Wait until it is.",
        313);
    if (!snapshot.group().isEmpty()) {
      judge(
          snapshot.ready(),
          call,
          "from a member of a group snapshot that was not ready. Ask for the member itself first.",
          489);
    }
    long asked = call.request().message("capacity_range").number("required_bytes");
    if (asked > 0 && snapshot.size() > 0) {
      judge(
          asked >= snapshot.size(),
          call,
          "smaller than the snapshot it is made from. Ask for "
              + snapshot.size()
              + " bytes at least.",
          204);
    }
  }

  private void delete(RecordedCall call) {
    KnownSnapshot snapshot = world.snapshot(call.request().text("snapshot_id"));
    if (snapshot != null) {
      judge(
          snapshot.group().isEmpty(),
          call,
          "although it belongs to a group snapshot. Delete the group with"
              + " DeleteVolumeGroupSnapshot.",
          330,
          331);
    }
  }

  private void members(RecordedCall call, int duty) {
    String group = call.request().text("group_snapshot_id");
    List<String> named = call.request().texts("snapshot_ids");
    Set<String> members = world.group(group);
    if (members != null && !named.isEmpty()) {
      judge(
          members.equals(new HashSet<>(named)),
          call,
          "with other snapshot_ids than the group has. List its members, all of them.",
          duty);
    }
    for (String id : named) {
      KnownSnapshot snapshot = world.snapshot(id);
      if (snapshot != null) {
        judge(
            snapshot.group().equals(group),
            call,
            "with snapshot " + BreachWords.quote(id) + " of another group. Keep the group of each.",
            323);
      }
    }
  }

  private void delta(RecordedCall call) {
    KnownSnapshot base = world.snapshot(call.request().text("base_snapshot_id"));
    KnownSnapshot target = world.snapshot(call.request().text("target_snapshot_id"));
    if (base != null && target != null) {
      judge(
          isLater(base, target),
          call,
          "between snapshots of different volumes, or with the later one as the base.",
          527);
    }
  }

  private static boolean isLater(KnownSnapshot base, KnownSnapshot target) {
    return base.source().equals(target.source()) && base.seconds() <= target.seconds();
  }
}
