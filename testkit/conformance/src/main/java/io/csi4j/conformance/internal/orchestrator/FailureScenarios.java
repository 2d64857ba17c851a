package io.csi4j.conformance.internal.orchestrator;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.StatusCode;
import io.csi4j.conformance.model.MountOrder;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.FaultRule;
import io.csi4j.testkit.fault.When;
import java.util.List;

/** Calls that keep failing for a while. */
final class FailureScenarios {

  private FailureScenarios() {}

  static List<Scenario> scenarios() {
    return List.of(
        new Scenario(
            "fail/publish-after-stage",
            "Publishing fails for good after staging: giving up unstages and detaches.",
            FailureScenarios::publish),
        new Scenario(
            "fail/unpublish-then-recovers",
            "While unpublishing fails, the volume stays staged and attached.",
            play ->
                undoing(
                    play,
                    CsiOperation.NODE_UNPUBLISH_VOLUME,
                    List.of(
                        CsiOperation.NODE_UNSTAGE_VOLUME,
                        CsiOperation.CONTROLLER_UNPUBLISH_VOLUME))),
        new Scenario(
            "fail/unstage-then-recovers",
            "While unstaging fails, the volume stays attached, and the unstaging stays owed.",
            play ->
                undoing(
                    play,
                    CsiOperation.NODE_UNSTAGE_VOLUME,
                    List.of(CsiOperation.CONTROLLER_UNPUBLISH_VOLUME))),
        new Scenario(
                "fail/detach-then-recovers",
                "While detaching fails, the detachment stays pending.",
                play -> undoing(play, CsiOperation.CONTROLLER_UNPUBLISH_VOLUME, List.of()))
            .attaching());
  }

  private static void publish(Play play) throws StuckException, InterruptedException {
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

  private static void undoing(Play play, CsiOperation step, List<CsiOperation> notBefore)
      throws StuckException, InterruptedException {
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
