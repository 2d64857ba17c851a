package io.csi4j.volume;

import java.util.Comparator;
import java.util.Objects;

/**
 * One use of a volume: which volume, by which workload. Compares by value.
 *
 * @param volume the volume
 * @param workload who uses it
 */
public record UsageKey(VolumeKey volume, WorkloadId workload) implements Comparable<UsageKey> {

  private static final Comparator<UsageKey> ORDER =
      Comparator.comparing(UsageKey::volume).thenComparing(UsageKey::workload);

  /** Checks that both are there. */
  public UsageKey {
    Objects.requireNonNull(volume, "volume");
    Objects.requireNonNull(workload, "workload");
  }

  /** The use of a volume by a workload. */
  public static UsageKey of(VolumeKey volume, WorkloadId workload) {
    return new UsageKey(volume, workload);
  }

  @Override
  public int compareTo(UsageKey other) {
    return ORDER.compare(this, other);
  }

  @Override
  public String toString() {
    return volume + " by " + workload;
  }
}
