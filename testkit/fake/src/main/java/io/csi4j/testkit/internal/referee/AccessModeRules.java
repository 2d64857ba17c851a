package io.csi4j.testkit.internal.referee;

import io.csi4j.testkit.internal.referee.KnownOffers.Part;
import io.csi4j.testkit.journal.RecordedCall;
import io.csi4j.testkit.journal.WireMessage;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Rules for the access modes: how many workloads may use a volume, on which nodes, and whether they
 * may write.
 */
final class AccessModeRules extends DutyRule {

  AccessModeRules(Hearing hearing) {
    super(hearing, "Access modes and counts");
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
        String node = WireFields.text(call, "node_id");
        room(call, node, world.attachedTo(node));
      }
      case NODE_STAGE_VOLUME -> onNode(call, volume, capability);
      case NODE_PUBLISH_VOLUME -> {
        onNode(call, volume, capability);
        publish(call, volume, capability);
      }
      default -> {}
    }
  }

  private void onNode(RecordedCall call, KnownVolume volume, WireMessage capability) {
    declared(call, volume, capability);
    attachedSo(call, volume, capability);
    if (!world.needsAttachment()) {
      room(call, WireFields.node(call), world.usedOn(WireFields.node(call)));
    }
  }

  private void declared(RecordedCall call, KnownVolume volume, WireMessage capability) {
    RecordedCall created = volume.created;
    if (created != null) {
      boolean listed =
          created.request().messages("volume_capabilities").stream()
              .anyMatch(
                  one ->
                      one.has("block") == capability.has("block")
                          && WireFields.mode(one).equals(WireFields.mode(capability)));
      judge(listed, call, "not declared", ref(created));
    }
  }

  /**
   * Checks that the volume was attached with the same capability, apart from two fields. The access
   * mode may differ, because controller and node need not offer the same modes. The group that owns
   * the files may differ, because only the node needs it.
   */
  private void attachedSo(RecordedCall call, KnownVolume volume, WireMessage capability) {
    TrackedUse attachment = world.attachmentHere(volume, WireFields.node(call));
    WireMessage told = attachment.request();
    if (world.needsAttachment() && attachment.certain() && told != null) {
      WireMessage said = told.message("volume_capability");
      boolean same = said.has("block") == capability.has("block") && isMountedSo(said, capability);
      judge(same, call, "attached otherwise", ref(attachment.maker()));
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
    boolean alone = true;
    for (Map.Entry<String, TrackedUse> entry : volume.attachments.entrySet()) {
      TrackedUse other = entry.getValue();
      if (entry.getKey().equals(node) || !other.standing()) {
        continue;
      }
      alone = false;
      elsewhere(call, mode, entry.getKey(), other);
      WireMessage first = other.request();
      if (mode.equals("MULTI_NODE_SINGLE_WRITER")
          && world.offers.has(Part.CONTROLLER, "", "PUBLISH_READONLY")
          && first != null) {
        writers(call, first, other);
      }
    }
    if (alone && mode.startsWith("SINGLE_NODE")) {
      kept(call, "on another node");
    }
  }

  private void elsewhere(RecordedCall call, String mode, String node, TrackedUse other) {
    if (mode.startsWith("MULTI_NODE")) {
      kept(call, "on another node");
    } else {
      forMode(call, "on another node", mode, node, other);
    }
  }

  /** Judges the duties for one access mode, in addition to the duties for all modes. */
  private void forMode(
      RecordedCall call, String about, String mode, String where, TrackedUse other) {
    String own = about + " " + mode;
    judge(
        false,
        other.evidence(),
        call,
        isJudged(call, own) ? own : about,
        mode,
        quote(where),
        ref(other.maker()));
  }

  private void writers(RecordedCall call, WireMessage first, TrackedUse other) {
    boolean reads = call.request().flag("readonly") || first.flag("readonly");
    judge(reads, other.evidence(), call, "second writer", ref(other.maker()));
  }

  /** Judges whether one more volume exceeds the maximum number of volumes on a node. */
  private void room(RecordedCall call, String node, Set<String> there) {
    WireMessage info = world.nodes.get(node);
    long max = info == null ? 0 : info.number("max_volumes_per_node");
    if (max > 0 && !there.contains(WireFields.volume(call))) {
      judge(there.size() < max, call, "full node", there.size(), max);
    }
  }

  private void publish(RecordedCall call, KnownVolume volume, WireMessage capability) {
    String mode = WireFields.mode(capability);
    if (isJudged(call, "writing " + mode)) {
      judge(call.request().flag("readonly"), call, "writing " + mode);
    }
    String node = WireFields.node(call);
    String target = WireFields.text(call, "target_path");
    if (target.isEmpty()) {
      return;
    }
    TrackedUse own = volume.publications.on(node).get(target);
    if (own != null && own.standing()) {
      repeat(call, own);
      return;
    }
    for (Map.Entry<String, TrackedUse> other : volume.publications.on(node).entrySet()) {
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
      kept(call, "one writer");
    }
    if (mode.startsWith("SINGLE_NODE")) {
      newMode(call, mode, "one target in an old mode");
    }
    if (mode.startsWith("SINGLE_NODE") || mode.equals("MULTI_NODE_SINGLE_WRITER")) {
      volume.publications.all.forEach(
          (on, targets) -> {
            if (!on.equals(node)) {
              onTwoNodes(
                  call, mode, on, targets.values().stream().filter(TrackedUse::standing).toList());
            }
          });
    }
  }

  private void onTwoNodes(RecordedCall call, String mode, String node, List<TrackedUse> others) {
    if (mode.equals("MULTI_NODE_SINGLE_WRITER")) {
      for (TrackedUse other : others) {
        WireMessage first = other.request();
        if (first != null) {
          writers(call, first, other);
        }
      }
    }
    if (!others.isEmpty() && !world.needsAttachment()) {
      elsewhere(call, mode, node, others.get(0));
    }
  }

  private void repeat(RecordedCall call, TrackedUse own) {
    WireMessage before = own.request();
    if (before != null) {
      WireMessage capability = before.message("volume_capability");
      boolean same =
          before.flag("readonly") == call.request().flag("readonly")
              && capability.equals(call.request().message("volume_capability"));
      judge(same, call, "published otherwise", ref(own.maker()));
    }
  }

  private void second(RecordedCall call, WireMessage capability, String target, TrackedUse other) {
    String mode = WireFields.mode(capability);
    if (mode.startsWith("MULTI_NODE") || mode.equals("SINGLE_NODE_MULTI_WRITER")) {
      kept(call, "second target");
    } else {
      forMode(call, "second target", mode, target, other);
    }
    if (mode.equals("SINGLE_NODE_MULTI_WRITER")) {
      kept(call, "many writers");
    }
    if (mode.startsWith("SINGLE_NODE")) {
      newMode(call, mode, "many targets in an old mode");
    }
    WireMessage before = other.request();
    if (before != null) {
      boolean same = before.message("volume_capability").equals(capability);
      judge(same, call, "other capability", quote(target), ref(other.maker()));
    }
  }

  private void newMode(RecordedCall call, String mode, String about) {
    if (world.offers.has(Part.NODE, WireFields.node(call), "SINGLE_NODE_MULTI_WRITER")
        && world.offers.has(Part.CONTROLLER, "", "SINGLE_NODE_MULTI_WRITER")) {
      judge(!mode.equals("SINGLE_NODE_WRITER"), call, about);
    }
  }
}
