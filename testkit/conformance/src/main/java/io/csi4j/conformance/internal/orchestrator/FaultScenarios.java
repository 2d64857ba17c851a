package io.csi4j.conformance.internal.orchestrator;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.node.NodeCapability;
import io.csi4j.conformance.model.MountOrder;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.FaultRule;
import io.csi4j.testkit.fault.When;
import io.csi4j.testkit.journal.RecordedCall;
import io.csi4j.testkit.model.PluginShape;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Future;

/** Scenarios in which an unmount meets an obstacle, or a call hangs. */
final class FaultScenarios {

  private FaultScenarios() {}

  static void addTo(Scenarios all) {
    CsiOperation unpublish = CsiOperation.NODE_UNPUBLISH_VOLUME;
    CsiOperation unstage = CsiOperation.NODE_UNSTAGE_VOLUME;
    CsiOperation detach = CsiOperation.CONTROLLER_UNPUBLISH_VOLUME;
    all.add("plugin/upgrade-drops-staging", FaultScenarios::dropsStaging);
    all.add("fail/unpublish-then-recovers", play -> undoing(play, unpublish, unstage, detach));
    all.add("fail/unstage-then-recovers", play -> undoing(play, unstage, detach));
    all.add("fail/detach-then-recovers", play -> undoing(play, detach));
    all.add("slow/unpublish", FaultScenarios::slowUnpublish);
    all.add("slow/hung-call-blocks-nobody", FaultScenarios::blocksNobody);
  }

  private static void undoing(Play play, CsiOperation step, CsiOperation... notBefore) {
    MountOrder order = play.order();
    play.mount(order);
    OrchestratorReply<Boolean> first;
    try (FaultRule rule = play.breakEach(step, Fault.fail(StatusCode.INTERNAL, "busy"))) {
      first = play.tryUnmount(order);
      play.expect(rule.hits() > 0, step.rpcName() + " was never called.");
      for (CsiOperation later : notBefore) {
        play.expectNone(later, step.rpcName() + " had not succeeded.");
      }
    }
    play.unmountAfter(first, order);
  }

  private static void slowUnpublish(Play play) {
    MountOrder order = play.order();
    play.mount(order);
    play.breakOnce(CsiOperation.NODE_UNPUBLISH_VOLUME, Fault.hang());
    Future<Boolean> unmounting = play.beginUnmount(order);
    play.awaitEnd(play.awaitCall(CsiOperation.NODE_UNPUBLISH_VOLUME));
    play.plugin().release();
    if (play.outcome(Play.unmounting(order), unmounting).value().isPresent()) {
      play.expectPublications(order, 0);
    }
    play.unmount(order);
  }

  private static void blocksNobody(Play play) {
    MountOrder hung = play.order(1);
    MountOrder other = play.order(2);
    CsiOperation step = CsiOperation.NODE_STAGE_VOLUME;
    play.plugin().inject(Fault.hang(), When.calling(step).ofVolume(hung.volume()));
    Future<Path> mounting = play.beginMount(hung);
    play.awaitCall(step);
    play.mount(other);
    // The mount of the other volume has succeeded. It did not wait for the hanging mount if that
    // mount is still in progress, or if calls for the two volumes overlapped.
    boolean waiting = !mounting.isDone();
    List<Long> hanging =
        play.plugin().journal().calls(hung.volume()).stream().map(RecordedCall::number).toList();
    boolean beside =
        play.plugin().journal().calls(other.volume()).stream()
            .anyMatch(call -> call.beside().stream().anyMatch(hanging::contains));
    play.expect(
        waiting || beside,
        "Volume '%s' was mounted only after the call for '%s' had been given up."
            .formatted(other.volume(), hung.volume()));
    play.plugin().clearFaults();
    play.plugin().release();
    OrchestratorReply<Path> last = play.outcome(Play.mounting(hung), mounting);
    last.value().ifPresent(path -> play.expectPublished(hung, path));
  }

  private static void dropsStaging(Play play) {
    MountOrder order = play.order();
    play.mount(order);
    PluginShape before = play.plugin().shape();
    play.upgrade(before.without(NodeCapability.STAGE_UNSTAGE_VOLUME));
    OrchestratorReply<Boolean> first = play.tryUnmount(order);
    play.expectPublications(order, 0);
    play.upgrade(before);
    play.unmountAfter(first, order);
  }
}
