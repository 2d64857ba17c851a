package io.csi4j.conformance.internal.orchestrator;

import static io.csi4j.conformance.internal.orchestrator.Play.workload;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.StatusCode;
import io.csi4j.conformance.model.MountOrder;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import java.nio.file.Path;
import java.util.List;

/**
 * What is published is published again with other secrets. An orchestrator may refresh or not: a
 * workload keeps its volume whatever comes of it.
 */
final class RefreshScenarios {

  private RefreshScenarios() {}

  static List<Scenario> scenarios() {
    return List.of(
        new Scenario(
            "refresh/one-of-two-workloads",
            "Both workloads keep the volume, each at its path.",
            RefreshScenarios::oneOfTwo),
        new Scenario(
            "refresh/refused",
            "A refresh that the plugin refuses takes the volume from nobody.",
            play -> fails(play, Fault.fail(StatusCode.PERMISSION_DENIED, "the token is over"))),
        new Scenario(
            "refresh/answer-lost",
            "A refresh whose answer is lost takes the volume from nobody.",
            play -> fails(play, Fault.applyThenDrop())),
        new Scenario(
            "refresh/then-a-crash",
            "After a crash the workload has the volume at its path, as before.",
            RefreshScenarios::thenCrash));
  }

  private static void oneOfTwo(Play play) throws StuckException, InterruptedException {
    MountOrder one = play.order();
    MountOrder two = workload(2, one);
    Path first = play.mount(one);
    Path second = play.mount(two);
    refreshed(play, one);
    play.expectPublished(one, first);
    play.expectPublished(two, second);
    kept(play);
  }

  private static void fails(Play play, Fault fault) throws StuckException, InterruptedException {
    MountOrder order = play.order();
    Path path = play.mount(order);
    play.plugin().inject(fault, When.calling(CsiOperation.NODE_PUBLISH_VOLUME).once());
    // It may say that it failed, or try again.
    OrchestratorReply<Boolean> ignored = play.tryRefresh(order);
    play.plugin().clearFaults();
    play.expectPublished(order, path);
    refreshed(play, order);
    play.expect(path.equals(play.mount(order)), "Its path changed meanwhile.");
    kept(play);
  }

  private static void thenCrash(Play play) throws StuckException, InterruptedException {
    MountOrder order = play.order();
    Path path = play.mount(order);
    refreshed(play, order);
    play.restart();
    play.expect(path.equals(play.mount(order)), "Its path changed with the crash.");
    refreshed(play, order);
    play.expectReady(order);
    kept(play);
  }

  private static void refreshed(Play play, MountOrder order)
      throws StuckException, InterruptedException {
    play.expect(
        play.tryRefresh(order).failure().isEmpty(),
        "A refresh failed although nothing stood in its way.");
  }

  private static void kept(Play play) {
    String why = "the workload was to keep its volume.";
    play.expectNone(CsiOperation.NODE_UNPUBLISH_VOLUME, why);
    play.expectNone(CsiOperation.NODE_UNSTAGE_VOLUME, why);
  }
}
