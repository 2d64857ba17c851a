package io.csi4j.testkit.internal.referee;

import io.csi4j.testkit.journal.RecordedCall;
import io.csi4j.testkit.journal.WireMessage;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** Rules for ids: callers must use the ids that the plugin returned. */
final class PluginIdRules extends DutyRule {

  /** The ids that the plugin returned, by the kind and the name of the object. */
  private final Map<String, String> ids = new HashMap<>();

  private final Set<String> given = new HashSet<>();

  /**
   * Values that a call used as an id before an object of that name was created, by kind of object.
   */
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
      // The plugin may have returned the id before this journal began, or on another socket, so an
      // unknown id is only reported as "other node".
      boolean own = world.nodes.containsKey(node) || world.listedNodes.contains(node);
      judge(own, call, own ? "own node" : "other node");
    }
  }

  /**
   * Judges a value that a call uses as an id. A value that is not the name of a created object is
   * an id from elsewhere, even if it resembles a name.
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
