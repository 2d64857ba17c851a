package io.csi4j.volume.workload;

import java.util.Optional;

/**
 * The host's knowledge of its volumes.
 *
 * @since 1.0
 */
@FunctionalInterface
public interface VolumeLookup {

  /**
   * Finds a volume.
   *
   * @param request what is asked for
   * @param source which volume: that of the request, with the number of the instance where each has
   *     its own
   * @return nothing if there is no such volume
   */
  Optional<ResolvedVolume> find(VolumeRequest request, String source);
}
