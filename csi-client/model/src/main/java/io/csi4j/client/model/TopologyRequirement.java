package io.csi4j.client.model;

import java.util.List;

/**
 * From where a new volume has to be reachable.
 *
 * @param requisite it has to be reachable from at least one of these; empty for no such demand
 * @param preferred in order, best first; each stands in {@code requisite} too, if that is not empty
 */
public record TopologyRequirement(List<Topology> requisite, List<Topology> preferred) {

  /** Refuses a requirement that asks for nothing, or prefers what it does not allow. */
  public TopologyRequirement {
    requisite = List.copyOf(requisite);
    preferred = List.copyOf(preferred);
    if (requisite.isEmpty() && preferred.isEmpty()) {
      throw new IllegalArgumentException(
          "A topology requirement needs requisite or preferred places, or both.");
    }
    for (Topology place : preferred) {
      if (!requisite.isEmpty() && !requisite.contains(place)) {
        throw new IllegalArgumentException(
            "The preferred place " + place + " is not among the requisite ones.");
      }
    }
  }

  /** Reachable from at least one of these places. */
  public static TopologyRequirement anyOf(List<Topology> requisite) {
    return new TopologyRequirement(requisite, List.of());
  }
}
