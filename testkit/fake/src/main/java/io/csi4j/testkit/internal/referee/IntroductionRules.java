package io.csi4j.testkit.internal.referee;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.testkit.journal.JournalEvent;
import io.csi4j.testkit.journal.RecordedCall;
import io.csi4j.testkit.journal.WireMessage;
import java.util.HashSet;
import java.util.Set;

/**
 * Rules for a caller's first calls, which read the plugin's identity, its readiness, and the node's
 * id.
 */
final class IntroductionRules extends DutyRule {

  private final Set<String> introduced = new HashSet<>();
  private final Set<String> askedForInfo = new HashSet<>();
  private final Set<String> unready = new HashSet<>();
  private boolean begun;

  IntroductionRules(Hearing hearing) {
    super(hearing, "Introduction");
  }

  @Override
  void began(RecordedCall call) {
    if (!world.isComplete()) {
      return;
    }
    boolean identity = call.operation().service() == CsiOperation.Service.IDENTITY;
    String socket = WireFields.node(call);
    if (!begun) {
      begun = true;
      judge(identity, call, "first call");
    }
    if (introduced.add(socket)) {
      judge(identity, call, "first call on a socket");
    }
    if (unready.contains(socket)) {
      judge(identity, call, "not ready");
    }
    switch (call.operation()) {
      case NODE_GET_INFO -> askedForInfo.add(socket);
      case NODE_STAGE_VOLUME, NODE_PUBLISH_VOLUME ->
          judge(askedForInfo.contains(socket), call, "unknown node");
      default -> {}
    }
  }

  @Override
  void ended(RecordedCall call) {
    if (call.operation() == CsiOperation.PROBE && call.ok()) {
      boolean ready = call.answer().map(IntroductionRules::isReady).orElse(true);
      if (ready) {
        unready.remove(WireFields.node(call));
      } else {
        unready.add(WireFields.node(call));
      }
    }
  }

  private static boolean isReady(WireMessage answer) {
    return !answer.has("ready") || answer.flag("ready");
  }

  @Override
  void happened(JournalEvent event) {
    if (event instanceof JournalEvent.Started || event instanceof JournalEvent.Stopped) {
      unready.clear();
    }
  }
}
