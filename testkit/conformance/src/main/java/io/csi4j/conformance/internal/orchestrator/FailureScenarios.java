package io.csi4j.conformance.internal.orchestrator;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.StatusCode;
import io.csi4j.conformance.model.MountOrder;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.FaultRule;
import io.csi4j.testkit.fault.When;

/** Calls that keep failing for a while. */
final class FailureScenarios {

  private FailureScenarios() {}

  static void addTo(Scenarios all) {
    all.add("fail/publish-after-stage", FailureScenarios::publish);
    all.add(
        "fail/unpublish-then-recovers",
        play ->
            undoing(
                play,
                CsiOperation.NODE_UNPUBLISH_VOLUME,
                CsiOperation.NODE_UNSTAGE_VOLUME,
                CsiOperation.CONTROLLER_UNPUBLISH_VOLUME));
    all.add(
        "fail/unstage-then-recovers",
        play ->
            undoing(
                play, CsiOperation.NODE_UNSTAGE_VOLUME, CsiOperation.CONTROLLER_UNPUBLISH_VOLUME));
    all.add(
        "fail/detach-then-recovers",
        play -> undoing(play, CsiOperation.CONTROLLER_UNPUBLISH_VOLUME));
  }

  private static void publish(Play play) {
    MountOrder order = play.order();
    try (FaultRule rule =
        play.plugin()
            .inject(
                Fault.fail(StatusCode.INTERNAL, "out of luck"),
                When.calling(CsiOperation.NODE_PUBLISH_VOLUME))) {
      play.expect(
          play.tryMount(order).failure().isPresent(),
          "The mount succeeded, although publishing failed.");
      play.expect(rule.hits() > 0, "NodePublishVolume was never called.");
    }
    play.unmount(order);
  }

  private static void undoing(Play play, CsiOperation step, CsiOperation... notBefore) {
    MountOrder order = play.order();
    play.mount(order);
    OrchestratorReply<Boolean> first;
    try (FaultRule rule =
        play.plugin().inject(Fault.fail(StatusCode.INTERNAL, "busy"), When.calling(step))) {
      first = play.tryUnmount(order);
      play.expect(rule.hits() > 0, step.rpcName() + " was never called.");
      for (CsiOperation later : notBefore) {
        play.expectNone(later, step.rpcName() + " had not succeeded.");
      }
    }
    if (first.value().isPresent()) {
      // No caller asks again for what is done: the next user of the volume has to set it right.
      play.mount(order);
    }
    play.unmount(order);
  }
}
