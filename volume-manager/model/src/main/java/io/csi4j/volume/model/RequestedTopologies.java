package io.csi4j.volume.model;

import io.csi4j.client.model.Topology;
import io.csi4j.client.model.TopologyRequirement;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * From where a volume has to be reachable. Equal if both have the same places, in any order.
 *
 * @param required from at least one of these; empty for no such demand
 * @param preferred in order, best first; each stands among the required ones, if there are any
 * @since 1.0
 */
public record RequestedTopologies(Set<Topology> required, List<Topology> preferred) {

  /** Copies both, and refuses what asks for nothing, or prefers what it does not allow. */
  public RequestedTopologies {
    TopologyRequirement checked = new TopologyRequirement(List.copyOf(required), preferred);
    required = Collections.unmodifiableSet(new LinkedHashSet<>(checked.requisite()));
    preferred = checked.preferred();
  }

  /** From at least one of these. */
  public static RequestedTopologies anyOf(Set<Topology> required) {
    return new RequestedTopologies(required, List.of());
  }

  /**
   * Returns those of them that are among {@code places} too; nothing if none of the required ones
   * is. Equal to this if {@code places} is empty, which stands for everywhere.
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
