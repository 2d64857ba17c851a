package io.csi4j.conformance.internal.orchestrator;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.StatusCode;
import io.csi4j.conformance.model.MountOrder;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.FaultRule;
import io.csi4j.testkit.fault.When;
import java.util.ArrayList;
import java.util.List;

/** The plugin does the work, and the orchestrator is not told. */
final class LostAnswerScenarios {

  private LostAnswerScenarios() {}

  static List<Scenario> scenarios() {
    List<Scenario> all = new ArrayList<>();
    for (CsiOperation step : StepNames.STEPS) {
      all.add(
          lost(
              step,
              "-dropped",
              "The connection breaks after the work: the call is repeated as it was.",
              Fault.applyThenDrop()));
      all.add(
          lost(
              step,
              "-timed-out",
              "DEADLINE_EXCEEDED after the work: the call is repeated as it was.",
              Fault.applyThenFail(StatusCode.DEADLINE_EXCEEDED, "too slow")));
    }
    for (CsiOperation step : StepNames.STEPS.subList(0, 3)) {
      all.add(
          new Scenario(
                  "lost/" + StepNames.of(step) + "-given-up",
                  "No attempt is ever answered, all do the work: giving up undoes it.",
                  play -> givenUp(play, step))
              .about(step));
    }
    return all;
  }

  private static Scenario lost(CsiOperation step, String how, String expectation, Fault fault) {
    return new Scenario(
            "lost/" + StepNames.of(step) + how, expectation, play -> once(play, step, fault))
        .about(step);
  }

  private static void once(Play play, CsiOperation step, Fault fault)
      throws StuckException, InterruptedException {
    MountOrder order = play.order();
    try (FaultRule rule = play.plugin().inject(fault, When.calling(step).once())) {
      play.mount(order);
      play.expectReady(order);
      play.unmount(order);
      play.expectPublications(order, 0);
      play.expect(rule.hits() == 1, step.rpcName() + " was never called.");
    }
  }

  private static void givenUp(Play play, CsiOperation step)
      throws StuckException, InterruptedException {
    MountOrder order = play.order();
    try (FaultRule rule =
        play.plugin()
            .inject(
                Fault.applyThenFail(StatusCode.DEADLINE_EXCEEDED, "too slow"),
                When.calling(step))) {
      play.expect(
          play.tryMount(order).failure().isPresent(),
          "The mount succeeded, although " + step.rpcName() + " never did.");
      play.expect(rule.hits() > 0, step.rpcName() + " was never called.");
    }
    play.unmount(order);
    play.expectPublications(order, 0);
  }
}
