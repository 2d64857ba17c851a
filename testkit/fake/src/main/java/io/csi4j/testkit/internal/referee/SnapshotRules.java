package io.csi4j.testkit.internal.referee;

import io.csi4j.testkit.internal.referee.KnownWorld.Snapshot;
import io.csi4j.testkit.journal.RecordedCall;
import io.csi4j.testkit.journal.WireMessage;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Rules for snapshots, group snapshots and their members. */
final class SnapshotRules extends DutyRule {

  SnapshotRules(Hearing hearing) {
    super(hearing, "Snapshots and groups");
  }

  @Override
  void began(RecordedCall call) {
    switch (call.operation()) {
      case CREATE_VOLUME -> source(call);
      case DELETE_SNAPSHOT -> {
        Snapshot snapshot = world.snapshots.get(call.request().text("snapshot_id"));
        if (snapshot != null) {
          judge(snapshot.group().isEmpty(), call, "member");
        }
      }
      case DELETE_VOLUME_GROUP_SNAPSHOT, GET_VOLUME_GROUP_SNAPSHOT -> members(call);
      case GET_METADATA_DELTA -> delta(call);
      default -> {}
    }
  }

  private void source(RecordedCall call) {
    WireMessage source = call.request().message("volume_content_source");
    Snapshot snapshot = world.snapshots.get(source.message("snapshot").text("snapshot_id"));
    if (snapshot == null) {
      return;
    }
    judge(snapshot.ready(), call, "not ready");
    if (!snapshot.group().isEmpty()) {
      judge(snapshot.ready(), call, "member not ready");
    }
    long limit = call.request().message("capacity_range").number("limit_bytes");
    if (limit > 0 && snapshot.size() > 0) {
      judge(limit >= snapshot.size(), call, "too small", snapshot.size());
    }
  }

  private void members(RecordedCall call) {
    String group = call.request().text("group_snapshot_id");
    List<String> named = call.request().texts("snapshot_ids");
    Set<String> members = world.groups.get(group);
    if (members != null && !named.isEmpty()) {
      judge(members.equals(new HashSet<>(named)), call, "members");
    }
    for (String id : named) {
      Snapshot snapshot = world.snapshots.get(id);
      if (snapshot != null && !snapshot.group().isEmpty()) {
        judge(snapshot.group().equals(group), call, "other group", quote(id));
      }
    }
  }

  private void delta(RecordedCall call) {
    Snapshot base = world.snapshots.get(call.request().text("base_snapshot_id"));
    Snapshot target = world.snapshots.get(call.request().text("target_snapshot_id"));
    if (base != null && target != null) {
      boolean later = base.source().equals(target.source()) && base.seconds() <= target.seconds();
      judge(later, call, "base");
    }
  }
}
