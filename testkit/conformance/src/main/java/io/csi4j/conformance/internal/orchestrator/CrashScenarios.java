package io.csi4j.conformance.internal.orchestrator;

import static io.csi4j.conformance.internal.orchestrator.Play.workload;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.conformance.model.MountOrder;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.FaultRule;
import java.nio.file.Path;

/** The orchestrator crashes and comes back. */
final class CrashScenarios {

  private CrashScenarios() {}

  static void addTo(Scenarios all) {
    all.add("restart/while-mounted", CrashScenarios::whileMounted);
    all.add("restart/then-a-second-workload", CrashScenarios::thenSecondWorkload);
    for (CsiOperation step : StepNames.DOING) {
      String name = "restart/amid-" + StepNames.of(step);
      all.add(
          name + "-then-mounted",
          play -> {
            crashAmid(play, step);
            play.mount(play.order());
          });
      all.add(
          name + "-then-given-up",
          play -> {
            crashAmid(play, step);
            play.unmount(play.order());
          });
    }
    all.add("restart/amid-unstage", CrashScenarios::amidUnstage);
  }

  private static void whileMounted(Play play) {
    MountOrder one = play.order();
    MountOrder two = workload(2, one);
    Path pathOfOne = play.mount(one);
    Path pathOfTwo = play.mount(two);
    play.restart();
    play.expectPublished(one, pathOfOne);
    play.expectPublished(two, pathOfTwo);
    play.unmount(one);
    play.expectPublished(two, pathOfTwo);
    play.expectReady(two);
    play.unmount(two);
    play.expectPublications(two, 0);
  }

  private static void thenSecondWorkload(Play play) {
    MountOrder one = play.order();
    MountOrder two = workload(2, one);
    Path pathOfOne = play.mount(one);
    play.restart();
    play.mount(two);
    play.unmount(two);
    play.expectPublished(one, pathOfOne);
    play.expectReady(one);
    play.unmount(one);
  }

  /** The call has done its work when the orchestrator crashes; the answer never comes. */
  private static void crashAmid(Play play, CsiOperation step) {
    try (FaultRule rule = play.breakOnce(step, Fault.applyThenHang())) {
      play.beginMount(play.order());
      play.awaitWorked(play.awaitCall(step));
      play.restart();
      play.expect(rule.hits() == 1, "The call to be lost never came.");
    }
    play.plugin().release();
    play.awaitQuiet();
  }

  private static void amidUnstage(Play play) {
    MountOrder order = play.order();
    play.mount(order);
    CsiOperation step = CsiOperation.NODE_UNSTAGE_VOLUME;
    try (FaultRule rule = play.breakOnce(step, Fault.hang())) {
      play.beginUnmount(order);
      play.awaitCall(step);
      play.restart();
      play.expect(rule.hits() == 1, "The call to be lost never came.");
    }
    play.plugin().release();
    play.awaitQuiet();
    play.unmount(order);
  }
}
