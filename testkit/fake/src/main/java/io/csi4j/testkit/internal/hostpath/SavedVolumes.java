package io.csi4j.testkit.internal.hostpath;

import io.csi4j.testkit.internal.backend.State;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * The part of the saved state that the storage needs itself.
 *
 * @param capacities the volumes, and how large each was made
 * @param staged the volumes that are staged
 * @param snapshots the snapshots
 */
record SavedVolumes(Map<String, Long> capacities, Set<String> staged, Set<String> snapshots) {

  static SavedVolumes of(State state) {
    Map<String, Long> capacities = new HashMap<>();
    state.volumes().forEach((id, volume) -> capacities.put(id, volume.volume().getCapacityBytes()));
    Set<String> staged = new HashSet<>();
    state.stagings().keySet().forEach(on -> staged.add(on.what()));
    return new SavedVolumes(capacities, staged, Set.copyOf(state.snapshots().keySet()));
  }

  long capacity(String volume) {
    return capacities.getOrDefault(volume, 0L);
  }
}
