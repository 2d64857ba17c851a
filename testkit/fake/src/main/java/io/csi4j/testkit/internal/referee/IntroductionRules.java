package io.csi4j.testkit.internal.referee;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.CsiService;
import io.csi4j.testkit.journal.JournalEvent;
import io.csi4j.testkit.journal.RecordedCall;
import io.csi4j.testkit.journal.WireMessage;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** How a caller begins: who is there, is it ready, which node is this. */
final class IntroductionRules extends DutyRule {

  private final Set<String> introduced = new HashSet<>();
  private final Set<String> askedForInfo = new HashSet<>();
  private final Map<String, RecordedCall> unready = new HashMap<>();
  private boolean begun;

  IntroductionRules(Hearing hearing) {
    super(hearing, "Introduction", 5, 25, 162, 455);
  }

  @Override
  void began(RecordedCall call) {
    if (!world.isComplete()) {
      return;
    }
    boolean identity = call.operation().service() == CsiService.IDENTITY;
    String socket = WireFields.node(call);
    if (!begun) {
      begun = true;
      judge(identity, call, "is the first call of all. Ask the Identity service first.", 25);
    }
    if (introduced.add(socket)) {
      judge(identity, call, "is the first call on its socket. Ask the Identity service first.", 5);
    }
    if (unready.containsKey(socket)) {
      judge(
          identity,
          call,
          "after Probe said that the plugin is not ready. Wait, and probe again.",
          162);
    }
    switch (call.operation()) {
      case NODE_GET_INFO -> askedForInfo.add(socket);
      case NODE_STAGE_VOLUME, NODE_PUBLISH_VOLUME ->
          judge(
              askedForInfo.contains(socket),
              call,
              "on a node that was never asked who it is. Call NodeGetInfo before volumes are placed"
                  + " there.",
              455);
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
        unready.put(WireFields.node(call), call);
      }
    }
  }

  private static boolean isReady(WireMessage answer) {
    return !answer.has("ready") || answer.flag("ready");
  }

  @Override
  void happened(JournalEvent event) {
    if (event instanceof JournalEvent.Started) {
      unready.clear();
    }
  }
}
