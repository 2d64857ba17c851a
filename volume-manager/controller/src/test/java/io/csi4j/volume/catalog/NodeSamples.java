package io.csi4j.volume.catalog;

import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.identity.PluginCapability;
import io.csi4j.client.model.CapabilitySet;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.PluginName;
import io.csi4j.client.model.Topology;
import io.csi4j.client.node.NodeCapability;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.plugin.InstanceId;
import io.csi4j.volume.plugin.PluginFingerprint;
import io.csi4j.volume.plugin.PluginFingerprint.NodeFacts;
import io.csi4j.volume.plugin.PluginHealth;
import io.csi4j.volume.plugin.PluginRegistration;
import io.csi4j.volume.plugin.PluginRole;
import io.csi4j.volume.plugin.RegisteredPlugin;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** Nodes for tests. */
public final class NodeSamples {

  private NodeSamples() {}

  /** A plugin on a node, as a report has it. */
  public static RegisteredPlugin plugin(String nodeId, PluginHealth.State state) {
    NodeFacts facts =
        new NodeFacts(
            Optional.of(NodeId.of(nodeId)),
            OptionalLong.of(16),
            Optional.of(Topology.of(Map.of("zone", "east"))),
            new CapabilitySet<>(Set.of(NodeCapability.STAGE_UNSTAGE_VOLUME), Set.of("TELEPORT")));
    PluginFingerprint said =
        new PluginFingerprint(
            PluginName.of("ebs.csi.example"),
            new PluginFingerprint.Version("1.4"),
            new CapabilitySet<>(
                Set.of(PluginCapability.VOLUME_ACCESSIBILITY_CONSTRAINTS), Set.of()),
            Optional.of(
                new CapabilitySet<>(
                    Set.of(ControllerCapability.PUBLISH_UNPUBLISH_VOLUME), Set.of())),
            Optional.of(facts),
            Instant.parse("2026-01-01T12:00:00Z"));
    return new RegisteredPlugin(
        registration("i-1"),
        new PluginHealth(
            state,
            PluginHealth.Reason.ANSWERED,
            new PluginHealth.Text("it said so"),
            Instant.parse("2026-01-01T12:00:01Z")),
        Optional.of(said),
        state == PluginHealth.State.STARTING);
  }

  private static PluginRegistration registration(String instance) {
    return new PluginRegistration(
        PluginBinding.of(PluginId.of("ebs"), CsiEndpoint.of(Path.of("/run/ebs.sock"))),
        InstanceId.of(instance),
        Set.of(PluginRole.NODE));
  }

  /** A report of a node in boot {@code boot-1}. */
  public static NodeEntry report(String node, long number, String nodeId) {
    return NodeEntry.reported(
        NodeName.of(node),
        "boot-1",
        number,
        List.of(plugin(nodeId, PluginHealth.State.READY)),
        false);
  }
}
