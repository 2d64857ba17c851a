package io.csi4j.conformance.internal.orchestrator;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.StatusCode;
import io.csi4j.conformance.model.MountOrder;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.FaultRule;
import io.csi4j.testkit.fault.When;

/** The plugin does the work, and the orchestrator is not told. */
final class LostAnswerScenarios {

  private LostAnswerScenarios() {}

  static void addTo(Scenarios all) {
    Fault late = Fault.applyThenFail(StatusCode.DEADLINE_EXCEEDED, "too slow");
    for (CsiOperation step : StepNames.STEPS) {
      String name = "lost/" + StepNames.of(step);
      all.add(name + "-dropped", play -> once(play, step, Fault.applyThenDrop()));
      all.add(name + "-timed-out", play -> once(play, step, late));
    }
    for (CsiOperation step : StepNames.DOING) {
      all.add("lost/" + StepNames.of(step) + "-given-up", play -> givenUp(play, step, late));
    }
  }

  private static void once(Play play, CsiOperation step, Fault fault) {
    MountOrder order = play.order();
    try (FaultRule rule = play.plugin().inject(fault, When.calling(step).once())) {
      play.mount(order);
      play.expectReady(order);
      play.unmount(order);
      play.expectPublications(order, 0);
      play.expect(rule.hits() == 1, step.rpcName() + " was never called.");
    }
  }

  private static void givenUp(Play play, CsiOperation step, Fault fault) {
    MountOrder order = play.order();
    try (FaultRule rule = play.plugin().inject(fault, When.calling(step))) {
      play.expect(
          play.tryMount(order).failure().isPresent(),
          "The mount succeeded, although " + step.rpcName() + " never did.");
      play.expect(rule.hits() > 0, step.rpcName() + " was never called.");
    }
    play.unmount(order);
    play.expectPublications(order, 0);
  }
}
