package io.csi4j.conformance.internal.orchestrator;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.StatusCode;
import io.csi4j.conformance.model.MountOrder;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.FaultRule;
import io.csi4j.testkit.fault.When;
import io.csi4j.testkit.journal.RecordedCall;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Future;

/** Calls whose answers are lost, that are refused or keep failing, or take longer than any wait. */
final class FaultScenarios {

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

  private FaultScenarios() {}

  static void addTo(Scenarios all) {
    lostAnswers(all);
    refusals(all);
    CsiOperation publish = CsiOperation.NODE_PUBLISH_VOLUME;
    CsiOperation unpublish = CsiOperation.NODE_UNPUBLISH_VOLUME;
    CsiOperation unstage = CsiOperation.NODE_UNSTAGE_VOLUME;
    CsiOperation detach = CsiOperation.CONTROLLER_UNPUBLISH_VOLUME;
    all.add(
        "fail/publish-after-stage",
        play -> givenUp(play, publish, Fault.fail(StatusCode.INTERNAL, "out of luck")));
    all.add("fail/unpublish-then-recovers", play -> undoing(play, unpublish, unstage, detach));
    all.add("fail/unstage-then-recovers", play -> undoing(play, unstage, detach));
    all.add("fail/detach-then-recovers", play -> undoing(play, detach));
    for (CsiOperation step : StepNames.DOING) {
      all.add("slow/" + StepNames.of(step), play -> slowMount(play, step));
    }
    all.add("slow/unpublish", FaultScenarios::slowUnpublish);
    all.add("slow/hung-call-blocks-nobody", FaultScenarios::blocksNobody);
  }

  private static void lostAnswers(Scenarios all) {
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

  private static void refusals(Scenarios all) {
    for (CsiOperation step :
        List.of(CsiOperation.NODE_STAGE_VOLUME, CsiOperation.NODE_PUBLISH_VOLUME)) {
      String name = "refused/" + StepNames.of(step) + "-";
      for (StatusCode code : FINAL) {
        all.add(name + word(code), play -> refusedForGood(play, step, code));
      }
      for (StatusCode code : UNTIL_FIXED) {
        all.add(name + word(code), play -> givenUp(play, step, refusal(code.value())));
      }
      for (StatusCode code : PASSING) {
        all.add(name + word(code), play -> refusedTwice(play, step, code.value()));
      }
      all.add(name + "17", play -> refusedTwice(play, step, 17));
    }
  }

  private static String word(StatusCode code) {
    return code.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  private static Fault refusal(int code) {
    return Fault.fail(code, "refused by the scenario");
  }

  private static void once(Play play, CsiOperation step, Fault fault) {
    MountOrder order = play.order();
    try (FaultRule rule = play.breakOnce(step, fault)) {
      play.mount(order);
      play.expectReady(order);
      play.unmount(order);
      play.expectPublications(order, 0);
      play.expect(rule.hits() == 1, step.rpcName() + " was never called.");
    }
  }

  /** The step fails as long as the mount is asked for: it is given up. */
  private static void givenUp(Play play, CsiOperation step, Fault fault) {
    MountOrder order = play.order();
    try (FaultRule rule = play.breakEach(step, fault)) {
      play.expectNoMount(order, step.rpcName() + " never succeeded.");
      play.expect(rule.hits() > 0, step.rpcName() + " was never called.");
    }
    play.unmount(order);
    play.expectPublications(order, 0);
  }

  private static void refusedForGood(Play play, CsiOperation step, StatusCode code) {
    givenUp(play, step, refusal(code.value()));
    List<RecordedCall> calls = play.plugin().journal().calls(step);
    long same =
        calls.stream().filter(call -> call.request().equals(calls.get(0).request())).count();
    play.expect(
        same <= 1,
        "%s was sent %s times as it was, although it is refused with %s."
            .formatted(step.rpcName(), same, code));
  }

  private static void refusedTwice(Play play, CsiOperation step, int code) {
    MountOrder order = play.order();
    try (FaultRule rule = play.plugin().inject(refusal(code), When.calling(step).times(2))) {
      play.mount(order);
      play.expect(rule.hits() == 2, step.rpcName() + " was not refused twice.");
    }
    play.expectReady(order);
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

  private static void slowMount(Play play, CsiOperation step) {
    MountOrder order = play.order();
    play.breakOnce(step, Fault.hang());
    Future<Path> mounting = play.beginMount(order);
    play.awaitEnd(play.awaitCall(step));
    play.plugin().release();
    play.outcome(Play.mounting(order), mounting)
        .value()
        .ifPresent(path -> play.expectPublished(order, path));
    play.mount(order);
    play.expectReady(order);
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
    // Its own mount is done: was the other still waiting, at its end or on its way?
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
}
