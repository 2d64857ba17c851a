package io.csi4j.conformance.internal.orchestrator;

import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.node.NodeCapability;
import io.csi4j.conformance.model.MountOrder;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.testkit.model.Quirk;
import java.util.List;

/** Plugins of every shape: only what they offer is to be called. */
final class ShapeScenarios {

  private ShapeScenarios() {}

  static List<Scenario> scenarios() {
    return List.of(
        shape("everything", PluginShape.full()).attaching(),
        shape("separate-sockets", PluginShape.separateSockets()).attaching(),
        shape("node-only", PluginShape.nodeOnly()),
        shape("no-staging", PluginShape.noStaging()),
        shape("no-attach", PluginShape.noAttach()).attaching(),
        shape("attach-required", PluginShape.attachRequired()).attaching(),
        shape("block-only", PluginShape.blockOnly()),
        shape("plain", PluginShape.plain()).attaching(),
        shape(
            "odd-but-lawful",
            PluginShape.full()
                .with(Quirk.PROBE_WITHOUT_READY, Quirk.UNKNOWN_CAPABILITY, Quirk.MESSAGE_ON_OK)),
        shape("target-left-behind", PluginShape.full().with(Quirk.TARGET_LEFT_BEHIND)));
  }

  private static Scenario shape(String name, PluginShape shape) {
    return new Scenario(
        "shape/" + name,
        "Exactly the calls that this plugin offers are made, in the order that they need.",
        shape,
        ShapeScenarios::mountAndUnmount);
  }

  private static void mountAndUnmount(Play play) throws StuckException, InterruptedException {
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
}
