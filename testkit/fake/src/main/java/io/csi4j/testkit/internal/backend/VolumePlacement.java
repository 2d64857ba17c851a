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

/** Decides the topology of volumes, and which nodes can access a volume. */
final class VolumePlacement {

  private static final String REQUIREMENTS = "accessibility_requirements";

  private VolumePlacement() {}

  static io.csi4j.client.model.Topology of(Topology topology) {
    return io.csi4j.client.model.Topology.of(topology.getSegmentsMap());
  }

  private static Topology message(io.csi4j.client.model.Topology topology) {
    return Topology.newBuilder().putAllSegments(topology.segments()).build();
  }

  /** Returns the topology of this node, if the plugin reports a topology for it. */
  static Optional<Topology> ofNode(PluginShape shape, List<NodeId> nodes, String node) {
    if (!shape.offers(PluginCapability.VOLUME_ACCESSIBILITY_CONSTRAINTS)) {
      return Optional.empty();
    }
    return shape.topology(nodes.indexOf(NodeId.of(node))).map(VolumePlacement::message);
  }

  /** Refuses a topology whose keys no node of the plugin reports. */
  static void check(PluginShape shape, String at, List<Topology> named) throws Refusal {
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
              "names a topology key that no node of this plugin has. Use the keys of NodeGetInfo:"
                  + " %s.",
              known);
        }
      }
    }
  }

  /**
   * Returns the topology of a new volume; empty if the plugin reports no topologies.
   *
   * @param within the topologies from which the source of the volume is accessible; empty if it is
   *     accessible everywhere
   */
  static Optional<Topology> place(
      PluginShape shape, TopologyRequirement wanted, List<Topology> within) throws Refusal {
    check(shape, wanted);
    if (!shape.offers(PluginCapability.VOLUME_ACCESSIBILITY_CONSTRAINTS)) {
      return Optional.empty();
    }
    List<io.csi4j.client.model.Topology> places =
        shape.topologies().stream().filter(node -> meet(Stream.of(node), within)).toList();
    return wanted(places, wanted)
        .or(() -> places.stream().findFirst())
        .map(VolumePlacement::message);
  }

  /**
   * Returns the topologies from which a new snapshot is accessible; empty if the plugin reports no
   * topologies.
   */
  static List<Topology> placeSnapshot(PluginShape shape, TopologyRequirement wanted, Volume source)
      throws Refusal {
    if (!shape.offers(PluginCapability.SNAPSHOT_ACCESSIBILITY_CONSTRAINTS)) {
      return List.of();
    }
    return wanted(shape.topologies(), wanted)
        .map(place -> List.of(message(place)))
        .orElse(source.getAccessibleTopologyList());
  }

  static void check(PluginShape shape, TopologyRequirement wanted) throws Refusal {
    check(shape, REQUIREMENTS + ".requisite", wanted.getRequisiteList());
    check(shape, REQUIREMENTS + ".preferred", wanted.getPreferredList());
  }

  /**
   * Returns one of {@code places} that satisfies the requirement. Preferred topologies are tried
   * before requisite ones.
   */
  private static Optional<io.csi4j.client.model.Topology> wanted(
      List<io.csi4j.client.model.Topology> places, TopologyRequirement wanted) throws Refusal {
    Optional<io.csi4j.client.model.Topology> found =
        Stream.concat(wanted.getPreferredList().stream(), wanted.getRequisiteList().stream())
            .map(VolumePlacement::of)
            .flatMap(place -> places.stream().filter(node -> node.includes(place)))
            .findFirst();
    if (found.isEmpty() && wanted.getRequisiteCount() > 0) {
      throw Refusal.of(
          StatusCode.RESOURCE_EXHAUSTED,
          REQUIREMENTS + ".requisite names no topology of a node of this plugin. Use one of %s.",
          places);
    }
    return found;
  }

  static boolean satisfies(Volume volume, TopologyRequirement wanted) {
    return satisfies(volume.getAccessibleTopologyList(), wanted);
  }

  /** Returns whether an object with these topologies satisfies the requirement of a new request. */
  static boolean satisfies(List<Topology> places, TopologyRequirement wanted) {
    return meet(places.stream().map(VolumePlacement::of), wanted.getRequisiteList());
  }

  /** Returns whether a node with this topology can access the volume. */
  static boolean reaches(Optional<Topology> node, Volume volume) {
    return meet(node.map(VolumePlacement::of).stream(), volume.getAccessibleTopologyList());
  }

  /**
   * Returns whether one of these topologies is wanted. If {@code wanted} is empty, the result is
   * true.
   */
  private static boolean meet(
      Stream<io.csi4j.client.model.Topology> places, List<Topology> wanted) {
    return wanted.isEmpty()
        || places.anyMatch(
            place -> wanted.stream().map(VolumePlacement::of).anyMatch(place::includes));
  }
}
