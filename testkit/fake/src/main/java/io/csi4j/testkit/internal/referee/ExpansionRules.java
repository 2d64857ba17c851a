package io.csi4j.testkit.internal.referee;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.testkit.internal.referee.KnownOffers.Part;
import io.csi4j.testkit.journal.RecordedCall;
import io.csi4j.testkit.journal.WireMessage;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Rules for the expansion of volumes: the controller comes first, then every node. If the plugin
 * requires it, the volume must not be in use.
 */
final class ExpansionRules extends DutyRule {

  private final Map<String, WireMessage> attachedAs = new HashMap<>();

  ExpansionRules(Hearing hearing) {
    super(hearing, "Expansion");
  }

  @Override
  void began(RecordedCall call) {
    if (!world.isComplete() || WireFields.volume(call).isEmpty()) {
      return;
    }
    KnownVolume volume = world.volume(WireFields.volume(call));
    switch (call.operation()) {
      case CONTROLLER_EXPAND_VOLUME -> controller(call, volume);
      case NODE_EXPAND_VOLUME -> node(call, volume);
      case NODE_UNSTAGE_VOLUME -> leaves(call, volume);
      case NODE_UNPUBLISH_VOLUME -> {
        if (!world.needsStaging(WireFields.node(call))) {
          leaves(call, volume);
        }
      }
      default -> {}
    }
  }

  private boolean isOfflineOnly() {
    return world.offers.has(Part.PLUGIN, "", "VOLUME_EXPANSION_OFFLINE")
        && world.offers.lacks(Part.PLUGIN, "", "VOLUME_EXPANSION_ONLINE");
  }

  private void controller(RecordedCall call, KnownVolume volume) {
    if (isOfflineOnly()) {
      if (world.needsAttachment()) {
        judge(!volume.attachedSomewhere(), call, "attached");
      } else if (volume.stagings.somewhere() || world.needsStaging(WireFields.node(call))) {
        judge(!volume.stagings.somewhere(), call, "staged");
      } else {
        judge(!volume.publications.somewhere(), call, "published");
      }
    }
    WireMessage attached = attachedAs.get(volume.id);
    if (attached != null && call.request().has("volume_capability")) {
      judge(attached.equals(call.request().message("volume_capability")), call, "capability");
    }
  }

  private void node(RecordedCall call, KnownVolume volume) {
    if (!world.offers.has(Part.CONTROLLER, "", "EXPAND_VOLUME")) {
      return;
    }
    judge(volume.expanded, call, "controller first");
    if (isOfflineOnly()) {
      judge(volume.expanded, call, "controller first, offline");
      String node = WireFields.node(call);
      if (world.needsStaging(node)) {
        judge(volume.stagings.any(node, TrackedUse::possible), call, "staged again");
      }
    }
  }

  private void leaves(RecordedCall call, KnownVolume volume) {
    RecordedCall pending = volume.pendingExpansion;
    if (pending != null
        && volume.usedWhilePending
        && world.offers.has(Part.NODE, WireFields.node(call), "EXPAND_VOLUME")) {
      judge(false, List.of(pending), call, "left to the node", pending.number());
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
      kept(call, "left to the node");
    }
  }
}
