package io.csi4j.testkit.internal.referee;

import io.csi4j.testkit.internal.referee.KnownOffers.Part;
import io.csi4j.testkit.journal.RecordedCall;
import java.util.Map;

/**
 * The contexts that the plugin gave to be handed back as they are: of volumes and of publishing.
 */
final class ContextRules extends DutyRule {

  ContextRules(Hearing hearing) {
    super(
        hearing, "Contexts", 208, 209, 211, 236, 240, 241, 242, 266, 375, 376, 384, 402, 403, 413);
  }

  @Override
  void began(RecordedCall call) {
    switch (call.operation()) {
      case VALIDATE_VOLUME_CAPABILITIES -> volume(call, 266);
      case CONTROLLER_PUBLISH_VOLUME -> volume(call, 236);
      case NODE_STAGE_VOLUME -> {
        volume(call, 384);
        publish(call, 375, 376);
      }
      case NODE_PUBLISH_VOLUME -> {
        volume(call, 413);
        publish(call, 402, 403);
      }
      default -> {}
    }
  }

  private void volume(RecordedCall call, int duty) {
    KnownVolume volume = world.knownVolume(WireFields.volume(call));
    Map<String, String> own = volume == null ? null : volume.context;
    if (own == null) {
      return;
    }
    Map<String, String> sent = call.request().map("volume_context");
    if (sent.equals(own)) {
      kept(duty);
      if (!own.isEmpty()) {
        kept(208, 209, 211);
      }
      return;
    }
    boolean missing = sent.isEmpty();
    judge(
        false,
        call,
        missing
            ? "without the volume context that the plugin gave. Store it, and send it."
            : "with a volume context that is not the volume's own. Send it as the plugin gave it.",
        211,
        duty,
        missing ? 209 : 208);
  }

  private void publish(RecordedCall call, int returned, int unset) {
    Map<String, String> sent = call.request().map("publish_context");
    if (world.needsAttachment()) {
      TrackedUse thing =
          world.attachmentHere(world.volume(WireFields.volume(call)), WireFields.node(call));
      if (thing.certain() && !thing.contexts().isEmpty()) {
        returned(call, thing, sent, returned);
      }
    } else if (world.offers().lacks(Part.CONTROLLER, "", "PUBLISH_UNPUBLISH_VOLUME")) {
      judge(
          sent.isEmpty(),
          call,
          "with a publish context, although the plugin does not attach. Leave it unset.",
          unset);
    }
  }

  private void returned(RecordedCall call, TrackedUse thing, Map<String, String> sent, int duty) {
    if (thing.contexts().contains(sent)) {
      kept(duty);
      if (!sent.isEmpty()) {
        kept(240, 241, 242);
      }
      return;
    }
    boolean missing = sent.isEmpty();
    judge(
        false,
        call,
        missing
            ? "without the publish context that ControllerPublishVolume returned"
                + BreachWords.ref(thing.maker())
                + ". Store it per volume and node, and send it."
            : "with another publish context than ControllerPublishVolume returned"
                + BreachWords.ref(thing.maker())
                + ". Send it unchanged.",
        242,
        duty,
        missing ? 241 : 240);
  }
}
