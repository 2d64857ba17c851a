package io.csi4j.conformance.internal.orchestrator;

import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.node.NodeCapability;
import io.csi4j.conformance.model.MountOrder;
import io.csi4j.testkit.model.PluginShape;
import java.util.List;

/** Plugins of every shape: only what they offer is to be called. */
final class ShapeScenarios {

  private ShapeScenarios() {}

  static void addTo(Scenarios all) {
    all.add("plugin/upgrade-drops-staging", ShapeScenarios::dropsStaging);
    for (String plugin :
        List.of(
            "everything",
            "separate-sockets",
            "node-only",
            "no-staging",
            "no-attach",
            "attach-required",
            "block-only",
            "plain",
            "odd-but-lawful",
            "target-left-behind")) {
      all.add("shape/" + plugin, ShapeScenarios::mountAndUnmount);
    }
  }

  private static void mountAndUnmount(Play play) {
    MountOrder order = play.order();
    play.mount(order);
    play.expectReady(order);
    play.unmount(order);
    PluginShape shape = play.plugin().shape();
    if (!shape.offers(NodeCapability.STAGE_UNSTAGE_VOLUME)) {
      play.expectNone(CsiOperation.NODE_STAGE_VOLUME, "the plugin does not stage.");
      play.expectNone(CsiOperation.NODE_UNSTAGE_VOLUME, "the plugin does not stage.");
    }
    if (!shape.offers(ControllerCapability.PUBLISH_UNPUBLISH_VOLUME)) {
      play.expectNone(CsiOperation.CONTROLLER_PUBLISH_VOLUME, "the plugin does not attach.");
      play.expectNone(CsiOperation.CONTROLLER_UNPUBLISH_VOLUME, "the plugin does not attach.");
    }
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
}
