package io.csi4j.conformance.internal.orchestrator;

import static io.csi4j.conformance.internal.orchestrator.Play.workload;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.conformance.model.MountOrder;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.FaultRule;
import io.csi4j.testkit.fault.When;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The orchestrator crashes and comes back. */
final class CrashScenarios {

  private CrashScenarios() {}

  static List<Scenario> scenarios() {
    List<Scenario> all = new ArrayList<>();
    all.add(
        new Scenario(
            "restart/while-mounted",
            "Live workloads keep their volumes; each is unmounted afterwards as if nothing had"
                + " happened.",
            CrashScenarios::whileMounted));
    all.add(
        new Scenario(
            "restart/then-a-second-workload",
            "A workload that comes after the restart shares the staging of one from before.",
            CrashScenarios::thenSecondWorkload));
    for (CsiOperation step :
        List.of(
            CsiOperation.CONTROLLER_PUBLISH_VOLUME,
            CsiOperation.NODE_STAGE_VOLUME,
            CsiOperation.NODE_PUBLISH_VOLUME)) {
      String name = StepNames.of(step);
      all.add(
          new Scenario(
                  "restart/amid-" + name + "-then-mounted",
                  "The volume can be mounted after a crash in the middle of a call.",
                  play -> {
                    crashAmid(play, step);
                    play.mount(play.order());
                  })
              .about(step));
      all.add(
          new Scenario(
                  "restart/amid-" + name + "-then-given-up",
                  "A crash in the middle of a call leaves a volume that may be in use: it is undone.",
                  play -> {
                    crashAmid(play, step);
                    play.unmount(play.order());
                  })
              .about(step));
    }
    all.add(
        new Scenario(
            "restart/amid-unstage",
            "A crash in the middle of unstaging leaves a volume that is unstaged later.",
            CrashScenarios::amidUnstage));
    return all;
  }

  private static void whileMounted(Play play) throws StuckException, InterruptedException {
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

  private static void thenSecondWorkload(Play play) throws StuckException, InterruptedException {
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
  private static void crashAmid(Play play, CsiOperation step)
      throws StuckException, InterruptedException {
    try (FaultRule rule = play.plugin().inject(Fault.applyThenHang(), When.calling(step).once())) {
      play.beginMount(play.order());
      play.awaitWorked(play.awaitCall(step));
      play.restart();
      play.expect(rule.hits() == 1, "The call to be lost never came.");
    }
    play.plugin().release();
    play.awaitQuiet();
  }

  private static void amidUnstage(Play play) throws StuckException, InterruptedException {
    MountOrder order = play.order();
    play.mount(order);
    CsiOperation step = CsiOperation.NODE_UNSTAGE_VOLUME;
    try (FaultRule rule = play.plugin().inject(Fault.hang(), When.calling(step).once())) {
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
