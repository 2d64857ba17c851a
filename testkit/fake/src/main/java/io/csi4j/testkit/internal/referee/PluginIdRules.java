package io.csi4j.testkit.internal.referee;

import io.csi4j.testkit.journal.RecordedCall;
import io.csi4j.testkit.journal.WireMessage;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Ids that the plugin gave are used as it gave them. */
final class PluginIdRules extends DutyRule {

  /** By name: the id that the plugin gave for it. */
  private final Map<String, String> volumes = new HashMap<>();

  private final Map<String, String> snapshots = new HashMap<>();
  private final Map<String, String> groups = new HashMap<>();
  private final Set<String> given = new HashSet<>();

  PluginIdRules(Hearing hearing) {
    super(hearing, "Ids", 180, 206, 233, 252, 320, 458, 492);
  }

  @Override
  void began(RecordedCall call) {
    id(call, WireFields.volume(call), volumes, "volume", 180, 206);
    id(call, WireFields.text(call, "source_volume_id"), volumes, "volume", 180, 206);
    WireFields.texts(call, "source_volume_ids")
        .forEach(id -> id(call, id, volumes, "volume", 180, 206));
    id(call, WireFields.text(call, "snapshot_id"), snapshots, "snapshot", 320);
    WireFields.texts(call, "snapshot_ids").forEach(id -> id(call, id, snapshots, "snapshot", 320));
    id(call, WireFields.text(call, "group_snapshot_id"), groups, "group snapshot", 492);
    if (WireFields.has(call, "volume_content_source")) {
      WireMessage source = call.request().message("volume_content_source");
      id(call, source.message("volume").text("volume_id"), volumes, "volume", 180, 206);
      id(call, source.message("snapshot").text("snapshot_id"), snapshots, "snapshot", 320);
    }
    node(call);
  }

  private void id(
      RecordedCall call, String id, Map<String, String> names, String what, int... duties) {
    if (id.isEmpty()) {
      return;
    }
    String real = names.get(id);
    if (given.contains(id)) {
      kept(duties);
    } else if (real != null) {
      broken(
          call,
          "with the name of a "
              + what
              + " where its id belongs. Use the id "
              + BreachWords.quote(real)
              + " that the plugin gave.",
          List.of(),
          duties);
    }
  }

  private void node(RecordedCall call) {
    String node = WireFields.text(call, "node_id");
    if (node.isEmpty() || !world.isComplete()) {
      return;
    }
    String why =
        "for a node_id that no NodeGetInfo gave. Use the one that the node's plugin gives.";
    boolean known = world.isNodeId(node);
    switch (call.operation()) {
      case CONTROLLER_PUBLISH_VOLUME -> judge(known, call, why, 233, 458);
      case CONTROLLER_UNPUBLISH_VOLUME -> judge(known, call, why, 252, 458);
      default -> {}
    }
  }

  @Override
  void ended(RecordedCall call) {
    if (!call.ok()) {
      return;
    }
    call.answer()
        .ifPresent(
            answer -> {
              switch (call.operation()) {
                case CREATE_VOLUME ->
                    note(call, volumes, answer.message("volume").text("volume_id"));
                case CREATE_SNAPSHOT ->
                    note(call, snapshots, answer.message("snapshot").text("snapshot_id"));
                case CREATE_VOLUME_GROUP_SNAPSHOT -> {
                  WireMessage group = answer.message("group_snapshot");
                  note(call, groups, group.text("group_snapshot_id"));
                  group
                      .messages("snapshots")
                      .forEach(member -> given.add(member.text("snapshot_id")));
                }
                default -> {}
              }
            });
  }

  private void note(RecordedCall call, Map<String, String> names, String id) {
    if (!id.isEmpty()) {
      names.put(WireFields.text(call, "name"), id);
      given.add(id);
    }
  }
}
