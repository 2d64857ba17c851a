package io.csi4j.volume.placement;

import io.csi4j.client.model.Topology;
import io.csi4j.volume.catalog.RequestedTopologies;
import io.csi4j.volume.catalog.VolumeSpec;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.OperatorMessage;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * The nodes on which a volume can be used, the best first, and why each of the excluded cannot. The
 * same nodes, claims and figures always give the same report.
 *
 * @param spec the volume that is placed
 * @param candidates the nodes on which it can be used, the best first
 * @param excluded the nodes on which it cannot be used, by name
 * @since 1.0
 */
public record PlacementReport(
    VolumeSpec spec, List<Candidate> candidates, List<Excluded> excluded) {

  /**
   * A node on which the volume can be used.
   *
   * @param node the node
   * @param place where the plugin says that the node is; nothing if it has no places
   * @param capacity the room there; nothing for a volume that exists, or if it is not known
   * @param freeSlots how many more volumes of the plugin the node takes; nothing if no limit is
   *     known
   * @param remarks what decided its rank and what may go wrong, as clauses for people
   */
  public record Candidate(
      NodeName node,
      Optional<Topology> place,
      Optional<CapacityReading> capacity,
      OptionalLong freeSlots,
      List<String> remarks) {

    /** Copies the list. */
    public Candidate {
      Objects.requireNonNull(node, "node");
      Objects.requireNonNull(place, "place");
      Objects.requireNonNull(capacity, "capacity");
      Objects.requireNonNull(freeSlots, "freeSlots");
      remarks = List.copyOf(remarks);
    }

    private String text() {
      List<String> parts = new ArrayList<>();
      place.ifPresent(where -> parts.add("in " + where));
      capacity.ifPresent(room -> parts.add(room.toString()));
      freeSlots.ifPresent(
          free -> parts.add("takes " + free + (free == 1 ? " more volume" : " more volumes")));
      parts.addAll(remarks);
      return node + (parts.isEmpty() ? "" : ": " + String.join("; ", parts));
    }
  }

  /**
   * A node that was excluded, as the volume cannot be used there.
   *
   * @param node the node
   * @param why every reason; at least one
   */
  public record Excluded(NodeName node, List<OperatorMessage> why) {

    /** Copies the list. */
    public Excluded {
      Objects.requireNonNull(node, "node");
      why = List.copyOf(why);
    }
  }

  /** Copies the lists. */
  public PlacementReport {
    Objects.requireNonNull(spec, "spec");
    candidates = List.copyOf(candidates);
    excluded = List.copyOf(excluded);
  }

  /** Returns the best node; nothing if the volume can be used on none. */
  public Optional<NodeName> best() {
    return nodes().stream().findFirst();
  }

  /** Returns the nodes on which the volume can be used, the best first. */
  public List<NodeName> nodes() {
    return candidates.stream().map(Candidate::node).toList();
  }

  /**
   * Returns the spec of a volume that is created before its node is chosen (immediate binding): it
   * has to be reachable from the place of at least one candidate, those of better candidates
   * preferred. Unchanged where the plugin has no places.
   */
  public VolumeSpec anywhere() {
    return in(places(candidates));
  }

  /**
   * Returns the spec of a volume that is created after its node was chosen (binding that waits for
   * the consumer): it has to be reachable from the place of that node. Unchanged where the plugin
   * has no places.
   *
   * @throws IllegalArgumentException if the node is no candidate
   */
  public VolumeSpec onlyOn(NodeName chosen) {
    return in(places(List.of(candidate(chosen))));
  }

  /**
   * Returns the spec of a volume that is created where a chosen node is, if there is room, and
   * otherwise in the place of another candidate.
   *
   * @throws IllegalArgumentException if the node is no candidate
   */
  public VolumeSpec firstOn(NodeName chosen) {
    List<Candidate> order = new ArrayList<>(List.of(candidate(chosen)));
    order.addAll(candidates);
    return in(places(order));
  }

  private Candidate candidate(NodeName chosen) {
    return candidates.stream()
        .filter(each -> each.node().equals(chosen))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "The node '" + chosen + "' is no candidate. Choose one of " + nodes() + "."));
  }

  private static Set<Topology> places(List<Candidate> order) {
    Set<Topology> places = new LinkedHashSet<>();
    order.forEach(each -> each.place().ifPresent(places::add));
    return places;
  }

  private VolumeSpec in(Set<Topology> places) {
    return places.isEmpty()
        ? spec
        : spec.toBuilder().topologies(new RequestedTopologies(places, List.copyOf(places))).build();
  }

  /**
   * All nodes in lines for people: the candidates by rank, then the excluded nodes with every
   * reason.
   */
  public String text() {
    StringBuilder lines = new StringBuilder();
    int rank = 1;
    for (Candidate each : candidates) {
      lines.append(rank++).append(". ").append(each.text()).append('\n');
    }
    for (Excluded each : excluded) {
      for (OperatorMessage reason : each.why()) {
        lines.append("-  ").append(each.node()).append(": ").append(reason.line()).append('\n');
      }
    }
    return lines.toString();
  }
}
