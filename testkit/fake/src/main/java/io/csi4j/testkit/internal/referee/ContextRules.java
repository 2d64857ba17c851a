package io.csi4j.testkit.internal.referee;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.testkit.internal.referee.KnownOffers.Part;
import io.csi4j.testkit.journal.RecordedCall;
import java.util.Map;

/** Rules for contexts: the caller must send volume contexts and publish contexts back unchanged. */
final class ContextRules extends DutyRule {

  ContextRules(Hearing hearing) {
    super(hearing, "Contexts");
  }

  @Override
  void began(RecordedCall call) {
    switch (call.operation()) {
      case VALIDATE_VOLUME_CAPABILITIES, CONTROLLER_PUBLISH_VOLUME -> volume(call);
      case NODE_STAGE_VOLUME, NODE_PUBLISH_VOLUME -> {
        volume(call);
        publish(call);
      }
      default -> {}
    }
  }

  private boolean isOwn(KnownVolume volume, RecordedCall call, Map<String, String> sent) {
    return volume.contexts.contains(sent)
        || (call.operation() == CsiOperation.NODE_PUBLISH_VOLUME
            && volume.contexts.stream()
                .anyMatch(own -> own.equals(world.quirks().withoutFacts(own, sent))));
  }

  private void volume(RecordedCall call) {
    KnownVolume volume = world.knownVolume(WireFields.volume(call));
    if (volume != null && !volume.contexts.isEmpty()) {
      Map<String, String> sent = call.request().map("volume_context");
      given(isOwn(volume, call, sent), call, "volume context", sent);
    }
  }

  private void publish(RecordedCall call) {
    Map<String, String> sent = call.request().map("publish_context");
    if (world.needsAttachment()) {
      TrackedUse thing =
          world.attachmentHere(world.volume(WireFields.volume(call)), WireFields.node(call));
      if (thing.certain() && !thing.contexts().isEmpty()) {
        boolean good = thing.contexts().contains(sent);
        given(good, call, "publish context", sent, ref(thing.maker()));
      }
    } else if (world.offers.lacks(Part.CONTROLLER, "", "PUBLISH_UNPUBLISH_VOLUME")) {
      judge(sent.isEmpty(), call, "needless publish context");
    }
  }

  private void given(
      boolean good, RecordedCall call, String what, Map<String, String> sent, Object... facts) {
    if (!good) {
      judge(false, call, (sent.isEmpty() ? "no " : "other ") + what, facts);
      return;
    }
    kept(call, "own " + what);
    if (!sent.isEmpty()) {
      kept(call, "filled " + what);
    }
  }
}
