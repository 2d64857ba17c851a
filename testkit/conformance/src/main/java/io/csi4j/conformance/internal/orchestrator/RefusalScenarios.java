package io.csi4j.conformance.internal.orchestrator;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.StatusCode;
import io.csi4j.conformance.model.MountOrder;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.FaultRule;
import io.csi4j.testkit.fault.When;
import io.csi4j.testkit.journal.RecordedCall;
import java.util.List;
import java.util.Locale;

/** Calls that the plugin refuses with a status. */
final class RefusalScenarios {

  private static final List<CsiOperation> STEPS =
      List.of(CsiOperation.NODE_STAGE_VOLUME, CsiOperation.NODE_PUBLISH_VOLUME);

  /** After these the same request makes no sense. */
  private static final List<StatusCode> FINAL =
      List.of(StatusCode.INVALID_ARGUMENT, StatusCode.UNIMPLEMENTED, StatusCode.ALREADY_EXISTS);

  /**
   * After these something else has to be put right first. The error tables of these two calls do
   * not have OUT_OF_RANGE, and the spec forbids no repeat after it.
   */
  private static final List<StatusCode> UNTIL_FIXED =
      List.of(
          StatusCode.NOT_FOUND,
          StatusCode.FAILED_PRECONDITION,
          StatusCode.PERMISSION_DENIED,
          StatusCode.OUT_OF_RANGE);

  /** These pass with time. */
  private static final List<StatusCode> PASSING =
      List.of(
          StatusCode.ABORTED,
          StatusCode.UNAVAILABLE,
          StatusCode.INTERNAL,
          StatusCode.RESOURCE_EXHAUSTED);

  private RefusalScenarios() {}

  static void addTo(Scenarios all) {
    for (CsiOperation step : STEPS) {
      String name = "refused/" + StepNames.of(step) + "-";
      FINAL.forEach(code -> all.add(name + word(code), play -> refusedForGood(play, step, code)));
      UNTIL_FIXED.forEach(
          code -> all.add(name + word(code), play -> refusedUntilGivenUp(play, step, code)));
      PASSING.forEach(
          code -> all.add(name + word(code), play -> refusedTwice(play, step, code.value())));
      all.add(name + "17", play -> refusedTwice(play, step, 17));
    }
  }

  private static String word(StatusCode code) {
    return code.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  private static void refusedForGood(Play play, CsiOperation step, StatusCode code) {
    refusedUntilGivenUp(play, step, code);
    List<RecordedCall> calls = play.plugin().journal().calls(step);
    long same =
        calls.stream().filter(call -> call.request().equals(calls.get(0).request())).count();
    play.expect(
        same <= 1,
        step.rpcName()
            + " was sent "
            + same
            + " times as it was, although it is refused with "
            + code
            + ".");
  }

  private static void refusedUntilGivenUp(Play play, CsiOperation step, StatusCode code) {
    MountOrder order = play.order();
    try (FaultRule rule =
        play.plugin().inject(Fault.fail(code, "refused by the scenario"), When.calling(step))) {
      play.expect(
          play.tryMount(order).failure().isPresent(),
          "The mount succeeded, although " + step.rpcName() + " was refused.");
      play.expect(rule.hits() > 0, step.rpcName() + " was never called.");
    }
    play.unmount(order);
    play.expectPublications(order, 0);
  }

  private static void refusedTwice(Play play, CsiOperation step, int code) {
    MountOrder order = play.order();
    try (FaultRule rule =
        play.plugin()
            .inject(Fault.fail(code, "refused by the scenario"), When.calling(step).times(2))) {
      play.mount(order);
      play.expect(rule.hits() == 2, step.rpcName() + " was not refused twice.");
    }
    play.expectReady(order);
  }
}
