package io.csi4j.client.model;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * From where a new volume has to be reachable.
 *
 * @param requisite it has to be reachable from at least one of these; empty for no such demand
 * @param preferred in order, best first; each stands in {@code requisite} too, if that is not empty
 * @since 1.0
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

  /**
   * The requirement that asks for the same, and for one of {@code places} too; nothing if no
   * requisite place can be one of them. The same requirement if {@code places} is empty, which
   * stands for everywhere. A preferred place that cannot be one of them is left out.
   */
  public Optional<TopologyRequirement> within(List<Topology> places) {
    if (places.isEmpty()) {
      return Optional.of(this);
    }
    Set<Topology> wished = common(preferred, places);
    Set<Topology> allowed = new LinkedHashSet<>();
    if (requisite.isEmpty()) {
      allowed.addAll(wished);
      allowed.addAll(places);
    } else {
      allowed.addAll(common(requisite, places));
    }
    return allowed.isEmpty()
        ? Optional.empty()
        : Optional.of(new TopologyRequirement(List.copyOf(allowed), List.copyOf(wished)));
  }

  private static Set<Topology> common(List<Topology> some, List<Topology> others) {
    Set<Topology> common = new LinkedHashSet<>();
    for (Topology one : some) {
      others.forEach(other -> one.within(other).ifPresent(common::add));
    }
    return common;
  }
}
