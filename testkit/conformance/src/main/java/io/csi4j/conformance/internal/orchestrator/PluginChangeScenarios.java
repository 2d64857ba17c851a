package io.csi4j.conformance.internal.orchestrator;

import static io.csi4j.conformance.internal.orchestrator.Play.workload;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.node.NodeCapability;
import io.csi4j.conformance.model.MountOrder;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.model.PluginShape;
import java.nio.file.Path;
import java.util.concurrent.Future;

/** The plugin restarts, changes or forgets while the orchestrator goes on. */
final class PluginChangeScenarios {

  private PluginChangeScenarios() {}

  static void addTo(Scenarios all) {
    all.add("plugin/restarted-between-calls", PluginChangeScenarios::restartedBetweenCalls);
    all.add("plugin/restarted-during-a-call", PluginChangeScenarios::restartedDuringCall);
    all.add("plugin/socket-replaced", PluginChangeScenarios::socketReplaced);
    all.add("plugin/upgrade-drops-staging", PluginChangeScenarios::dropsStaging);
    all.add("plugin/upgrade-adds-staging", PluginChangeScenarios::addsStaging);
    all.add("plugin/forgot-everything", PluginChangeScenarios::forgot);
  }

  private static void restartedBetweenCalls(Play play) {
    MountOrder one = play.order();
    MountOrder two = workload(2, one);
    Path path = play.mount(one);
    play.plugin().restart();
    play.mount(two);
    play.expectPublished(one, path);
    play.plugin().restart();
    play.unmount(one);
    play.expectPublications(two, 1);
    play.unmount(two);
  }

  private static void restartedDuringCall(Play play) {
    MountOrder order = play.order();
    CsiOperation step = CsiOperation.NODE_STAGE_VOLUME;
    play.breakOnce(step, Fault.hang());
    Future<Path> mounting = play.beginMount(order);
    play.awaitCall(step);
    play.plugin().restart();
    play.plugin().clearFaults();
    // Whether it comes through by itself or has to be asked again is the orchestrator's choice.
    OrchestratorReply<Path> ignored = play.outcome(Play.mounting(order), mounting);
    Path path = play.mount(order);
    play.expect(ignored.value().map(path::equals).orElse(true), "Its path changed meanwhile.");
  }

  private static void socketReplaced(Play play) {
    MountOrder one = play.order();
    play.mount(one);
    play.plugin().replaceSocket();
    play.mount(workload(2, one));
    play.plugin().replaceSocket();
    play.unmount(one);
  }

  private static void dropsStaging(Play play) {
    MountOrder order = play.order();
    play.mount(order);
    PluginShape before = play.plugin().shape();
    play.upgrade(before.without(NodeCapability.STAGE_UNSTAGE_VOLUME));
    OrchestratorReply<Boolean> first = play.tryUnmount(order);
    play.expectPublications(order, 0);
    play.upgrade(before);
    play.unmountAfter(first, order);
  }

  private static void addsStaging(Play play) {
    MountOrder old = play.order(1);
    play.mount(old);
    play.upgrade(PluginShape.full());
    MountOrder fresh = play.order(2);
    play.mount(fresh);
    play.unmount(old);
    play.expectPublications(old, 0);
    play.expectReady(fresh);
    play.unmount(fresh);
  }

  private static void forgot(Play play) {
    MountOrder order = play.order();
    play.mount(order);
    play.plugin().stop();
    play.plugin().forget();
    play.addVolumesAgain();
    play.plugin().start();
    play.unmount(order);
    play.mount(order);
    play.expectReady(order);
  }
}
