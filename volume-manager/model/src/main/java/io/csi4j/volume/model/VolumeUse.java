package io.csi4j.volume.model;

import io.csi4j.client.internal.text.SafeText;
import java.util.Objects;

/**
 * A use of a volume by a workload.
 *
 * @param volume the volume
 * @param workload the user of the volume
 * @since 1.0
 */
public record VolumeUse(VolumeKey volume, WorkloadId workload) implements Comparable<VolumeUse> {

  /** Checks that both parts are set. */
  public VolumeUse {
    Objects.requireNonNull(volume, "volume");
    Objects.requireNonNull(workload, "workload");
  }

  /** Returns the use of a volume by a workload. */
  public static VolumeUse of(VolumeKey volume, WorkloadId workload) {
    return new VolumeUse(volume, workload);
  }

  /** Returns the use as text, such as {@code workload 'web-1' (default/db)}. */
  public String phrase() {
    return "workload '"
        + SafeText.escape(workload.value())
        + "' ("
        + SafeText.escape(volume.toString())
        + ")";
  }

  @Override
  public int compareTo(VolumeUse other) {
    int byVolume = volume.compareTo(other.volume);
    return byVolume != 0 ? byVolume : workload.compareTo(other.workload);
  }

  @Override
  public String toString() {
    return volume + " by " + workload;
  }
}
