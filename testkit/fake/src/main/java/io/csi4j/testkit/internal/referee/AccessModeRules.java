package io.csi4j.testkit.internal.referee;

import io.csi4j.testkit.internal.referee.KnownOffers.Part;
import io.csi4j.testkit.journal.RecordedCall;
import io.csi4j.testkit.journal.WireMessage;
import java.util.List;
import java.util.Map;

/** The rules for who may use a volume where, how often, and for writing. */
final class AccessModeRules extends DutyRule {

  AccessModeRules(Hearing hearing) {
    super(
        hearing,
        "Access modes and counts",
        186,
        234,
        238,
        239,
        415,
        416,
        417,
        418,
        420,
        421,
        423,
        424,
        425,
        461);
  }

  @Override
  void began(RecordedCall call) {
    List<WireMessage> capabilities = WireFields.capabilities(call);
    if (WireFields.volume(call).isEmpty() || capabilities.size() != 1 || !world.isComplete()) {
      return;
    }
    KnownVolume volume = world.volume(WireFields.volume(call));
    WireMessage capability = capabilities.get(0);
    switch (call.operation()) {
      case CONTROLLER_PUBLISH_VOLUME -> {
        declared(call, volume, capability);
        attach(call, volume, WireFields.mode(capability));
        room(
            call,
            WireFields.text(call, "node_id"),
            world.attachedTo(WireFields.text(call, "node_id")));
      }
      case NODE_STAGE_VOLUME -> {
        declared(call, volume, capability);
        attachedSo(call, volume, capability);
        if (!world.needsAttachment()) {
          room(call, WireFields.node(call), world.usedOn(WireFields.node(call)));
        }
      }
      case NODE_PUBLISH_VOLUME -> {
        declared(call, volume, capability);
        attachedSo(call, volume, capability);
        if (!world.needsAttachment()) {
          room(call, WireFields.node(call), world.usedOn(WireFields.node(call)));
        }
        publish(call, volume, capability);
      }
      default -> {}
    }
  }

  private void declared(RecordedCall call, KnownVolume volume, WireMessage capability) {
    RecordedCall created = volume.created;
    if (created != null) {
      judge(
          created.request().messages("volume_capabilities").stream()
              .anyMatch(
                  one ->
                      one.has("block") == capability.has("block")
                          && WireFields.mode(one).equals(WireFields.mode(capability))),
          call,
          "with a volume capability that CreateVolume"
              + BreachWords.ref(created)
              + " did not list. List every way in which the volume will be used.",
          186);
    }
  }

  /**
   * Whether the controller was told how the volume is used. The mode may differ, for controller and
   * node need not know the same modes; the group that owns the files is the node's alone.
   */
  private void attachedSo(RecordedCall call, KnownVolume volume, WireMessage capability) {
    TrackedUse attachment = world.attachmentHere(volume, WireFields.node(call));
    WireMessage told = attachment.request();
    if (world.needsAttachment() && attachment.certain() && told != null) {
      WireMessage said = told.message("volume_capability");
      judge(
          said.has("block") == capability.has("block") && isMountedSo(said, capability),
          call,
          "with another volume capability than ControllerPublishVolume"
              + BreachWords.ref(attachment.maker())
              + ". Decide once how the volume is used, and tell both.",
          234);
    }
  }

  private static boolean isMountedSo(WireMessage one, WireMessage other) {
    WireMessage first = one.message("mount");
    WireMessage second = other.message("mount");
    return first.text("fs_type").equals(second.text("fs_type"))
        && first.texts("mount_flags").equals(second.texts("mount_flags"));
  }

  private void attach(RecordedCall call, KnownVolume volume, String mode) {
    String node = WireFields.text(call, "node_id");
    for (Map.Entry<String, TrackedUse> other : volume.attachments().entrySet()) {
      if (other.getKey().equals(node) || !other.getValue().standing()) {
        continue;
      }
      elsewhere(call, mode, other.getKey(), other.getValue());
      WireMessage first = other.getValue().request();
      if (mode.equals("MULTI_NODE_SINGLE_WRITER")
          && world.offers().has(Part.CONTROLLER, "", "PUBLISH_READONLY")
          && first != null) {
        writers(call, first.flag("readonly"), other.getValue());
      }
      return;
    }
    if (mode.startsWith("SINGLE_NODE")) {
      kept(238);
    }
  }

  private void elsewhere(RecordedCall call, String mode, String node, TrackedUse other) {
    if (mode.startsWith("MULTI_NODE")) {
      kept(238);
      return;
    }
    String why =
        "as "
            + mode
            + " while it is on node "
            + BreachWords.quote(node)
            + BreachWords.ref(other.maker())
            + ". Take it away there first, or use a mode for many nodes.";
    RecordedCall maker = other.maker();
    List<RecordedCall> evidence = maker == null ? List.of() : List.of(maker);
    broken(call, why, evidence, 238);
    once(call, mode, why, evidence);
  }

  private void once(RecordedCall call, String mode, String why, List<RecordedCall> evidence) {
    if (mode.equals("SINGLE_NODE_WRITER")) {
      broken(call, why, evidence, 423);
    } else if (mode.equals("SINGLE_NODE_READER_ONLY")) {
      broken(call, why, evidence, 424);
    }
  }

  private void writers(RecordedCall call, boolean firstReads, TrackedUse first) {
    RecordedCall maker = first.maker();
    if (call.request().flag("readonly") || firstReads) {
      kept(239);
    } else {
      broken(
          call,
          "for writing while another node writes"
              + BreachWords.ref(maker)
              + ". MULTI_NODE_SINGLE_WRITER has one writer; set readonly.",
          maker == null ? List.of() : List.of(maker),
          239);
    }
  }

  /** Whether a node takes one volume more. */
  private void room(RecordedCall call, String node, java.util.Set<String> there) {
    WireMessage info = world.nodeInfo(node);
    long max = info == null ? 0 : info.number("max_volumes_per_node");
    if (max > 0 && !there.contains(WireFields.volume(call))) {
      judge(
          there.size() < max,
          call,
          "to a node that has "
              + there.size()
              + " volumes; it takes "
              + max
              + ". Use another node.",
          461);
    }
  }

  private void publish(RecordedCall call, KnownVolume volume, WireMessage capability) {
    String mode = WireFields.mode(capability);
    readonly(call, mode);
    String node = WireFields.node(call);
    String target = WireFields.text(call, "target_path");
    if (target.isEmpty()) {
      return;
    }
    TrackedUse own = volume.publications(node).get(target);
    if (own != null && own.standing()) {
      repeat(call, own);
      return;
    }
    for (Map.Entry<String, TrackedUse> other : volume.publications(node).entrySet()) {
      if (other.getValue().standing() && !other.getKey().equals(target)) {
        second(call, capability, other.getKey(), other.getValue());
        return;
      }
    }
    first(call, volume, mode);
  }

  private void first(RecordedCall call, KnownVolume volume, String mode) {
    String node = WireFields.node(call);
    if (mode.equals("SINGLE_NODE_WRITER")) {
      kept(423);
    }
    if (mode.startsWith("SINGLE_NODE")) {
      newMode(call, mode, 420, "SINGLE_NODE_SINGLE_WRITER");
    }
    if (mode.startsWith("SINGLE_NODE") || mode.equals("MULTI_NODE_SINGLE_WRITER")) {
      volume
          .publications()
          .forEach(
              (on, targets) -> {
                if (!on.equals(node)) {
                  targets.values().stream()
                      .filter(TrackedUse::standing)
                      .findFirst()
                      .ifPresent(thing -> onTwoNodes(call, mode, on, thing));
                }
              });
    }
  }

  private void onTwoNodes(RecordedCall call, String mode, String node, TrackedUse thing) {
    WireMessage first = thing.request();
    if (mode.equals("MULTI_NODE_SINGLE_WRITER") && first != null) {
      writers(call, first.flag("readonly"), thing);
    } else if (!world.needsAttachment()) {
      elsewhere(call, mode, node, thing);
    }
  }

  private void repeat(RecordedCall call, TrackedUse own) {
    WireMessage before = own.request();
    if (before != null) {
      boolean same =
          before.flag("readonly") == call.request().flag("readonly")
              && before
                  .message("volume_capability")
                  .equals(call.request().message("volume_capability"));
      judge(
          same,
          call,
          "where it is published with other arguments"
              + BreachWords.ref(own.maker())
              + ". Unpublish it first.",
          417);
    }
  }

  private void second(RecordedCall call, WireMessage capability, String target, TrackedUse other) {
    String mode = WireFields.mode(capability);
    boolean many = mode.startsWith("MULTI_NODE") || mode.equals("SINGLE_NODE_MULTI_WRITER");
    RecordedCall maker = other.maker();
    List<RecordedCall> evidence = maker == null ? List.of() : List.of(maker);
    String why =
        "as "
            + mode
            + " while it is published at "
            + BreachWords.quote(target)
            + BreachWords.ref(maker)
            + ". This mode is published once; unpublish it there first.";
    if (many) {
      kept(415, 417);
    } else {
      broken(call, why, evidence, 415, 417);
      once(call, mode, why, evidence);
    }
    if (mode.equals("SINGLE_NODE_SINGLE_WRITER")) {
      broken(call, why, evidence, 418);
    } else if (mode.equals("SINGLE_NODE_MULTI_WRITER")) {
      kept(418);
    }
    if (mode.startsWith("SINGLE_NODE")) {
      newMode(call, mode, 421, "SINGLE_NODE_MULTI_WRITER");
    }
    WireMessage before = other.request();
    if (before != null) {
      judge(
          before.message("volume_capability").equals(capability),
          call,
          "with another volume capability than at "
              + BreachWords.quote(target)
              + BreachWords.ref(maker)
              + ". Use the same for all workloads.",
          416);
    }
  }

  private void newMode(RecordedCall call, String mode, int duty, String better) {
    if (world.offers().has(Part.NODE, WireFields.node(call), "SINGLE_NODE_MULTI_WRITER")
        && world.offers().has(Part.CONTROLLER, "", "SINGLE_NODE_MULTI_WRITER")) {
      judge(
          !mode.equals("SINGLE_NODE_WRITER"),
          call,
          "as SINGLE_NODE_WRITER, although the plugin knows the clearer modes. Use " + better + ".",
          duty);
    }
  }

  private void readonly(RecordedCall call, String mode) {
    boolean readonly = call.request().flag("readonly");
    String why = "for writing, as " + mode + ". Set readonly.";
    if (mode.equals("SINGLE_NODE_READER_ONLY")) {
      judge(readonly, call, why, 424);
    } else if (mode.equals("MULTI_NODE_READER_ONLY")) {
      judge(readonly, call, why, 425);
    }
  }
}
