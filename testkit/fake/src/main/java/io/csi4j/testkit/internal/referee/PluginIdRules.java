package io.csi4j.testkit.internal.referee;

import io.csi4j.testkit.journal.RecordedCall;
import io.csi4j.testkit.journal.WireMessage;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** Rules that callers use the ids that the plugin returned. */
final class PluginIdRules extends DutyRule {

  /** The id that the plugin returned, by kind and name. */
  private final Map<String, String> ids = new HashMap<>();

  private final Set<String> given = new HashSet<>();

  /** Values that were used as an id before they were known as a name, by kind. */
  private final Set<String> elsewhere = new HashSet<>();

  PluginIdRules(Hearing hearing) {
    super(hearing, "Ids");
  }

  @Override
  void began(RecordedCall call) {
    id(call, "volume", WireFields.volume(call));
    id(call, "volume", WireFields.text(call, "source_volume_id"));
    WireFields.texts(call, "source_volume_ids").forEach(id -> id(call, "volume", id));
    id(call, "snapshot", WireFields.text(call, "snapshot_id"));
    WireFields.texts(call, "snapshot_ids").forEach(id -> id(call, "snapshot", id));
    id(call, "group snapshot", WireFields.text(call, "group_snapshot_id"));
    if (WireFields.has(call, "volume_content_source")) {
      WireMessage source = call.request().message("volume_content_source");
      id(call, "volume", source.message("volume").text("volume_id"));
      id(call, "snapshot", source.message("snapshot").text("snapshot_id"));
    }
    String node = WireFields.text(call, "node_id");
    if (!node.isEmpty() && world.isComplete() && isJudged(call, "own node")) {
      // An id that the plugin returned before this journal began, or at another socket, is valid as
      // well.
      boolean own = world.nodes.containsKey(node) || world.listedNodes.contains(node);
      judge(own, call, own ? "own node" : "other node");
    }
  }

  /**
   * A value that was never a name of anything is an id from elsewhere, even if it resembles a name.
   */
  private void id(RecordedCall call, String kind, String id) {
    if (id.isEmpty()) {
      return;
    }
    String real = ids.get(kind + " " + id);
    if (given.contains(id)) {
      kept(call, kind);
    } else if (real == null) {
      elsewhere.add(kind + " " + id);
    } else if (!elsewhere.contains(kind + " " + id)) {
      judge(false, call, kind, quote(real));
    }
  }

  @Override
  void ended(RecordedCall call) {
    call.answer().ifPresent(answer -> answered(call, answer));
  }

  private void answered(RecordedCall call, WireMessage answer) {
    switch (call.operation()) {
      case CREATE_VOLUME -> note(call, "volume", answer.message("volume").text("volume_id"));
      case CREATE_SNAPSHOT ->
          note(call, "snapshot", answer.message("snapshot").text("snapshot_id"));
      case CREATE_VOLUME_GROUP_SNAPSHOT -> {
        WireMessage group = answer.message("group_snapshot");
        note(call, "group snapshot", group.text("group_snapshot_id"));
        group.messages("snapshots").forEach(member -> given.add(member.text("snapshot_id")));
      }
      case LIST_VOLUMES ->
          answer
              .messages("entries")
              .forEach(entry -> given.add(entry.message("volume").text("volume_id")));
      case LIST_SNAPSHOTS ->
          answer
              .messages("entries")
              .forEach(entry -> given.add(entry.message("snapshot").text("snapshot_id")));
      case CONTROLLER_LIST_VOLUME_HEALTH ->
          answer.messages("entries").forEach(entry -> given.add(entry.text("volume_id")));
      default -> {}
    }
  }

  private void note(RecordedCall call, String kind, String id) {
    if (!id.isEmpty()) {
      ids.put(kind + " " + WireFields.text(call, "name"), id);
      given.add(id);
    }
  }
}
