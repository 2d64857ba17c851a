package io.csi4j.micrometer;

import io.csi4j.volume.node.PathStatus;
import io.csi4j.volume.node.VolumeStatus;
import java.util.EnumSet;
import java.util.Set;

/**
 * The possible signs of trouble of one volume.
 *
 * @param isDoubted whether the result of a call is uncertain
 * @param isOwed whether a release of the complete volume or of one use is pending
 * @param isTroubled whether a problem keeps the volume from continuing
 * @param isUnwell whether the volume has known faults
 */
record VolumeSigns(boolean isDoubted, boolean isOwed, boolean isTroubled, boolean isUnwell) {

  static VolumeSigns of(VolumeStatus status) {
    Set<PathStatus> paths = EnumSet.of(status.staging());
    status.uses().forEach(use -> paths.add(use.status()));
    return new VolumeSigns(
        paths.contains(PathStatus.IN_DOUBT),
        paths.contains(PathStatus.GOING)
            || !status.leaving().isEmpty()
            || (status.uses().isEmpty() && status.staging() != PathStatus.NONE),
        status.trouble().isPresent(),
        !status.health().isWell());
  }

  /** Returns whether the volume has no sign of trouble. */
  boolean isHealthy() {
    return !isDoubted && !isOwed && !isTroubled && !isUnwell;
  }

  /** Returns whether a call that is still running can explain the signs. */
  boolean mayBeOrdinary() {
    return !isTroubled && !isUnwell;
  }
}
