package io.csi4j.conformance.internal.orchestrator;

import static io.csi4j.conformance.internal.orchestrator.Play.workload;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.conformance.model.MountOrder;
import io.csi4j.testkit.fault.Fault;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.stream.IntStream;

/** Scenarios with concurrent requests. */
final class CrowdScenarios {

  /**
   * A delay that is long enough for the concurrent request to overtake. No result depends on
   * whether it does.
   */
  private static final Duration SLOW = Duration.ofMillis(300);

  private CrowdScenarios() {}

  static void addTo(Scenarios all) {
    all.add("crowd/eight-workloads-one-volume", CrowdScenarios::eightWorkloads);
    all.add("crowd/fifty-volumes", CrowdScenarios::fiftyVolumes);
    all.add("crowd/leaves-while-another-publishes", CrowdScenarios::leavesWhilePublishing);
    all.add("crowd/comes-while-another-leaves", CrowdScenarios::comesWhileLeaving);
  }

  private static void eightWorkloads(Play play) {
    List<MountOrder> orders =
        IntStream.rangeClosed(1, 8).mapToObj(i -> workload(i, play.order())).toList();
    play.breakEach(CsiOperation.NODE_STAGE_VOLUME, Fault.delay(Duration.ofMillis(20)));
    mountAll(play, orders);
    play.expectPublications(play.order(), 8);
    play.expectStagedOnce();
    unmountAll(play, orders);
    play.expectPublications(play.order(), 0);
  }

  private static void fiftyVolumes(Play play) {
    List<MountOrder> orders = IntStream.rangeClosed(1, 50).mapToObj(play::order).toList();
    mountAll(play, orders);
    play.expect(
        play.contents().published().size() == 50,
        play.contents().published().size() + " volumes are published, not 50.");
    unmountAll(play, orders);
  }

  private static void mountAll(Play play, List<MountOrder> orders) {
    List<Future<Path>> begun = new ArrayList<>();
    for (MountOrder order : orders) {
      begun.add(play.beginMount(order));
    }
    for (int i = 0; i < orders.size(); i++) {
      if (play.outcome(Play.mounting(orders.get(i)), begun.get(i)).value().isEmpty()) {
        play.mount(orders.get(i));
      }
    }
  }

  private static void unmountAll(Play play, List<MountOrder> orders) {
    List<Future<Boolean>> begun = orders.stream().map(play::beginUnmount).toList();
    for (int i = 0; i < orders.size(); i++) {
      if (play.outcome(Play.unmounting(orders.get(i)), begun.get(i)).value().isEmpty()) {
        play.unmount(orders.get(i));
      }
    }
  }

  private static void leavesWhilePublishing(Play play) {
    MountOrder leaving = play.order();
    MountOrder coming = workload(2, leaving);
    play.mount(leaving);
    CsiOperation publish = CsiOperation.NODE_PUBLISH_VOLUME;
    play.breakOnce(publish, Fault.delay(SLOW));
    Future<Path> mounting = play.beginMount(coming);
    play.awaitCalls(publish, 2);
    Future<Boolean> unmounting = play.beginUnmount(leaving);
    settle(play, coming, mounting, leaving, unmounting);
  }

  private static void comesWhileLeaving(Play play) {
    MountOrder leaving = play.order();
    MountOrder coming = workload(2, leaving);
    play.mount(leaving);
    CsiOperation unpublish = CsiOperation.NODE_UNPUBLISH_VOLUME;
    play.breakOnce(unpublish, Fault.delay(SLOW));
    Future<Boolean> unmounting = play.beginUnmount(leaving);
    play.awaitCall(unpublish);
    Future<Path> mounting = play.beginMount(coming);
    settle(play, coming, mounting, leaving, unmounting);
  }

  private static void settle(
      Play play,
      MountOrder coming,
      Future<Path> mounting,
      MountOrder leaving,
      Future<Boolean> unmounting) {
    if (play.outcome(Play.unmounting(leaving), unmounting).value().isEmpty()) {
      play.unmount(leaving);
    }
    play.outcome(Play.mounting(coming), mounting);
    Path path = play.mount(coming);
    play.expectPublished(coming, path);
    play.expectPublications(coming, 1);
    play.expectReady(coming);
  }
}
