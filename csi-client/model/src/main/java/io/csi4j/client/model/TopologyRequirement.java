package io.csi4j.client.model;

import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The places from which a new volume must be accessible. The requisite places have no order.
 *
 * @param requisite the volume must be accessible from at least one of these; empty for no such
 *     requirement
 * @param preferred the preferred places, best first; each must also be in {@code requisite}, unless
 *     that is empty
 * @since 1.0
 */
public record TopologyRequirement(Set<Topology> requisite, List<Topology> preferred) {

  /** Refuses a requirement without places, or with a preferred place that is not requisite. */
  public TopologyRequirement {
    requisite = Collections.unmodifiableSet(new LinkedHashSet<>(requisite));
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

  /** Returns the requirement that the volume is accessible from at least one of these places. */
  public static TopologyRequirement anyOf(Collection<Topology> requisite) {
    return new TopologyRequirement(new LinkedHashSet<>(requisite), List.of());
  }

  /**
   * Returns this requirement, narrowed to {@code places}; empty if no requisite place is compatible
   * with any of them. An empty list of places means everywhere, and leaves the requirement
   * unchanged. Preferred places that are compatible with none of {@code places} are left out.
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
        : Optional.of(new TopologyRequirement(allowed, List.copyOf(wished)));
  }

  private static Set<Topology> common(Collection<Topology> some, List<Topology> others) {
    Set<Topology> common = new LinkedHashSet<>();
    for (Topology one : some) {
      others.forEach(other -> one.within(other).ifPresent(common::add));
    }
    return common;
  }
}
