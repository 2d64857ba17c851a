package io.csi4j.testkit.internal.referee;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.testkit.internal.referee.KnownOffers.Part;
import io.csi4j.testkit.journal.RecordedCall;
import io.csi4j.testkit.journal.WireMessage;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** How volumes grow: off the nodes where they have to be, controller first, then every node. */
final class ExpansionRules extends DutyRule {

  private final Map<String, WireMessage> attachedAs = new HashMap<>();

  ExpansionRules(Hearing hearing) {
    super(hearing, "Expansion", 108, 356, 357, 358, 359, 360, 361, 362, 363, 365, 471);
  }

  @Override
  void began(RecordedCall call) {
    if (!world.isComplete() || WireFields.volume(call).isEmpty()) {
      return;
    }
    switch (call.operation()) {
      case CONTROLLER_EXPAND_VOLUME -> {
        offline(call, world.volume(WireFields.volume(call)));
        capability(call);
      }
      case NODE_EXPAND_VOLUME -> node(call, world.volume(WireFields.volume(call)));
      case NODE_UNSTAGE_VOLUME -> leaves(call, world.volume(WireFields.volume(call)));
      case NODE_UNPUBLISH_VOLUME -> {
        if (!world.needsStaging(WireFields.node(call))) {
          leaves(call, world.volume(WireFields.volume(call)));
        }
      }
      default -> {}
    }
  }

  private boolean isOfflineOnly() {
    return world.offers().has(Part.PLUGIN, "", "VOLUME_EXPANSION_OFFLINE")
        && world.offers().lacks(Part.PLUGIN, "", "VOLUME_EXPANSION_ONLINE");
  }

  private void offline(RecordedCall call, KnownVolume volume) {
    if (!isOfflineOnly()) {
      return;
    }
    if (world.needsAttachment()) {
      away(call, !volume.attachedSomewhere(), "attached", "ControllerUnpublishVolume", 357);
    } else if (volume.stagedSomewhere() || world.needsStaging(WireFields.node(call))) {
      away(call, !volume.stagedSomewhere(), "staged", "NodeUnstageVolume", 358);
    } else {
      away(call, !volume.publishedSomewhere(), "published", "NodeUnpublishVolume", 359);
    }
  }

  private void away(RecordedCall call, boolean offline, String state, String undo, int duty) {
    judge(
        offline,
        call,
        "while the volume is still "
            + state
            + ", and the plugin expands only offline. Make "
            + undo
            + " succeed first.",
        108,
        356,
        duty);
  }

  private void capability(RecordedCall call) {
    WireMessage attached = attachedAs.get(WireFields.volume(call));
    if (attached != null && call.request().has("volume_capability")) {
      judge(
          attached.equals(call.request().message("volume_capability")),
          call,
          "with another volume capability than ControllerPublishVolume had. Send the same.",
          365);
    }
  }

  private void node(RecordedCall call, KnownVolume volume) {
    if (!world.offers().has(Part.CONTROLLER, "", "EXPAND_VOLUME")) {
      return;
    }
    String why = "before the controller expanded the volume. Call ControllerExpandVolume first.";
    judge(volume.expanded, call, why, 362);
    if (isOfflineOnly()) {
      judge(volume.expanded, call, why, 471);
      if (world.needsStaging(WireFields.node(call))) {
        judge(
            volume.possiblyStaged(WireFields.node(call)),
            call,
            "before the volume is staged again. Stage it first.",
            363);
      }
    }
  }

  private void leaves(RecordedCall call, KnownVolume volume) {
    RecordedCall pending = volume.pendingExpansion;
    if (pending != null
        && volume.usedWhilePending
        && world.offers().has(Part.NODE, WireFields.node(call), "EXPAND_VOLUME")) {
      broken(
          call,
          "although call "
              + pending.number()
              + " left an expansion to the node, and nobody asked it. Call NodeExpandVolume while"
              + " the volume is on the node.",
          List.of(pending),
          360,
          361);
    }
  }

  @Override
  void ended(RecordedCall call) {
    String volume = WireFields.volume(call);
    if (call.operation() == CsiOperation.CONTROLLER_PUBLISH_VOLUME && call.ok()) {
      attachedAs.put(volume, call.request().message("volume_capability"));
    } else if (call.operation() == CsiOperation.DELETE_VOLUME) {
      attachedAs.remove(volume);
    } else if (call.operation() == CsiOperation.NODE_EXPAND_VOLUME && call.ok()) {
      kept(360, 361);
    }
  }
}
