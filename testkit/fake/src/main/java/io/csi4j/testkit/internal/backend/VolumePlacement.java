package io.csi4j.testkit.internal.backend;

import io.csi4j.client.identity.PluginCapability;
import io.csi4j.client.internal.proto.Topology;
import io.csi4j.client.internal.proto.TopologyRequirement;
import io.csi4j.client.internal.proto.Volume;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.StatusCode;
import io.csi4j.testkit.model.PluginShape;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** Where volumes can be, and from where they are reached. */
final class VolumePlacement {

  private VolumePlacement() {}

  static io.csi4j.client.model.Topology of(Topology topology) {
    return io.csi4j.client.model.Topology.of(topology.getSegmentsMap());
  }

  private static Topology message(io.csi4j.client.model.Topology topology) {
    return Topology.newBuilder().putAllSegments(topology.segments()).build();
  }

  /** Where this node is, if the plugin says. */
  static Optional<Topology> ofNode(PluginShape shape, List<NodeId> nodes, String node) {
    if (!shape.offers(PluginCapability.VOLUME_ACCESSIBILITY_CONSTRAINTS)) {
      return Optional.empty();
    }
    return shape.topology(nodes.indexOf(NodeId.of(node))).map(VolumePlacement::message);
  }

  /** Refuses topology where the plugin has none, or other labels. */
  static void check(PluginShape shape, String at, List<Topology> named) throws Refusal {
    if (named.isEmpty()) {
      return;
    }
    if (!shape.offers(PluginCapability.VOLUME_ACCESSIBILITY_CONSTRAINTS)) {
      throw Refusal.invalid(
          at, "needs the capability VOLUME_ACCESSIBILITY_CONSTRAINTS. Leave it out.");
    }
    List<String> known =
        shape.topologies().stream()
            .flatMap(topology -> topology.segments().keySet().stream())
            .map(key -> key.toLowerCase(Locale.ROOT))
            .distinct()
            .toList();
    for (Topology topology : named) {
      for (String key : topology.getSegmentsMap().keySet()) {
        if (!known.contains(key.toLowerCase(Locale.ROOT))) {
          throw Refusal.invalid(
              at,
              "names a topology key that no node of this plugin has. Use the keys of NodeGetInfo: "
                  + known
                  + ".");
        }
      }
    }
  }

  /** Where a new volume goes; nothing where the plugin does not tell. */
  static Optional<Topology> place(PluginShape shape, TopologyRequirement wanted) throws Refusal {
    String at = "accessibility_requirements";
    check(shape, at + ".requisite", wanted.getRequisiteList());
    check(shape, at + ".preferred", wanted.getPreferredList());
    if (!shape.offers(PluginCapability.VOLUME_ACCESSIBILITY_CONSTRAINTS)) {
      return Optional.empty();
    }
    Optional<io.csi4j.client.model.Topology> found =
        Stream.concat(wanted.getPreferredList().stream(), wanted.getRequisiteList().stream())
            .map(VolumePlacement::of)
            .flatMap(place -> shape.topologies().stream().filter(node -> node.includes(place)))
            .findFirst();
    if (found.isEmpty() && wanted.getRequisiteCount() > 0) {
      throw new Refusal(
          StatusCode.RESOURCE_EXHAUSTED,
          at
              + ".requisite names no place where a node of this plugin is. Take one of "
              + shape.topologies()
              + ".");
    }
    return found.or(() -> shape.topologies().stream().findFirst()).map(VolumePlacement::message);
  }

  /** Whether an existing volume is where a new request wants it. */
  static boolean satisfies(Volume volume, TopologyRequirement wanted) {
    return wanted.getRequisiteCount() == 0
        || volume.getAccessibleTopologyList().stream()
            .map(VolumePlacement::of)
            .anyMatch(
                there ->
                    wanted.getRequisiteList().stream()
                        .map(VolumePlacement::of)
                        .anyMatch(there::includes));
  }

  /** Whether a node at this place reaches the volume. */
  static boolean reaches(Optional<Topology> node, Volume volume) {
    return volume.getAccessibleTopologyCount() == 0
        || node.map(VolumePlacement::of).stream()
            .anyMatch(
                here ->
                    volume.getAccessibleTopologyList().stream()
                        .map(VolumePlacement::of)
                        .anyMatch(here::includes));
  }
}
