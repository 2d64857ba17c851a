package io.csi4j.volume.model;

import io.csi4j.client.model.Topology;
import io.csi4j.client.model.TopologyRequirement;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The topologies from which a volume must be reachable. Has value equality; the order of the
 * required topologies does not matter.
 *
 * @param required the volume must be reachable from at least one of these; empty for no requirement
 * @param preferred the preferred ones, best first; each must be among the required ones, if there
 *     are any
 * @since 1.0
 */
public record RequestedTopologies(Set<Topology> required, List<Topology> preferred) {

  /**
   * Copies both, and rejects an empty request, or preferred topologies that are not among the
   * required ones.
   */
  public RequestedTopologies {
    TopologyRequirement checked = new TopologyRequirement(List.copyOf(required), preferred);
    required = Collections.unmodifiableSet(new LinkedHashSet<>(checked.requisite()));
    preferred = checked.preferred();
  }

  /** Returns a request for reachability from at least one of these. */
  public static RequestedTopologies anyOf(Set<Topology> required) {
    return new RequestedTopologies(required, List.of());
  }

  /**
   * Returns the request limited to {@code places}; empty if none of the required topologies is
   * among them. Equal to this if {@code places} is empty, which means everywhere.
   */
  public Optional<RequestedTopologies> within(List<Topology> places) {
    return requirement()
        .within(places)
        .map(
            narrowed ->
                new RequestedTopologies(
                    new LinkedHashSet<>(narrowed.requisite()), narrowed.preferred()));
  }

  /** Returns the requirement for a plugin. */
  public TopologyRequirement requirement() {
    return new TopologyRequirement(List.copyOf(required), preferred);
  }
}
