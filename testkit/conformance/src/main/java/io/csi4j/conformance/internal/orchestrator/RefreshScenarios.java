package io.csi4j.conformance.internal.orchestrator;

import static io.csi4j.conformance.internal.orchestrator.Play.workload;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.StatusCode;
import io.csi4j.conformance.model.MountOrder;
import io.csi4j.testkit.fault.Fault;
import java.nio.file.Path;

/**
 * What is published is published again with other secrets. An orchestrator may refresh or not: a
 * workload keeps its volume whatever comes of it.
 */
final class RefreshScenarios {

  private RefreshScenarios() {}

  static void addTo(Scenarios all) {
    all.add("refresh/one-of-two-workloads", RefreshScenarios::oneOfTwo);
    all.add(
        "refresh/refused",
        play -> fails(play, Fault.fail(StatusCode.PERMISSION_DENIED, "the token is over")));
    all.add("refresh/answer-lost", play -> fails(play, Fault.applyThenDrop()));
    all.add("refresh/then-a-crash", RefreshScenarios::thenCrash);
  }

  private static void oneOfTwo(Play play) {
    MountOrder one = play.order();
    MountOrder two = workload(2, one);
    Path first = play.mount(one);
    Path second = play.mount(two);
    refreshed(play, one);
    play.expectPublished(one, first);
    play.expectPublished(two, second);
    kept(play);
  }

  private static void fails(Play play, Fault fault) {
    MountOrder order = play.order();
    Path path = play.mount(order);
    play.breakOnce(CsiOperation.NODE_PUBLISH_VOLUME, fault);
    // It may say that it failed, or try again.
    OrchestratorReply<Boolean> ignored = play.tryRefresh(order);
    play.plugin().clearFaults();
    play.expectPublished(order, path);
    refreshed(play, order);
    play.expect(path.equals(play.mount(order)), "Its path changed meanwhile.");
    kept(play);
  }

  private static void thenCrash(Play play) {
    MountOrder order = play.order();
    Path path = play.mount(order);
    refreshed(play, order);
    play.restart();
    play.expect(path.equals(play.mount(order)), "Its path changed with the crash.");
    refreshed(play, order);
    play.expectReady(order);
    kept(play);
  }

  private static void refreshed(Play play, MountOrder order) {
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
