package io.csi4j.client.node;

import io.csi4j.client.model.Experimental;
import io.csi4j.client.model.VolumeCondition;
import java.util.List;
import java.util.Optional;

/**
 * The usage of a volume, and its condition.
 *
 * @since 1.0
 */
public interface VolumeStats {

  /** The usage of the volume, with one entry for each unit. */
  List<Usage> usage();

  /** The condition of the volume; empty if unknown. */
  @Experimental
  Optional<VolumeCondition> condition();

  /** The usage in bytes, if the plugin reported it. */
  default Optional<Usage> bytes() {
    return usage().stream().filter(each -> each.unit() == Usage.Unit.BYTES).findFirst();
  }

  /** The usage in inodes, if the plugin reported it. */
  default Optional<Usage> inodes() {
    return usage().stream().filter(each -> each.unit() == Usage.Unit.INODES).findFirst();
  }

  /**
   * The usage of a volume in one unit, as reported by the plugin.
   *
   * @param unit the unit
   * @param available the available amount; zero if not reported
   * @param total the total amount; zero if not reported
   * @param used the used amount; zero if not reported
   * @since 1.0
   */
  record Usage(Unit unit, long available, long total, long used) {

    /** The units that can be counted. */
    public enum Unit {
      /** Bytes. */
      BYTES,
      /** Inodes. */
      INODES,
      /** A value that this library does not know. */
      UNRECOGNIZED
    }

    /**
     * Returns whether the numbers are plausible: no number is negative, and neither the used nor
     * the available amount exceeds the total.
     */
    public boolean isPlausible() {
      return available >= 0
          && total >= 0
          && used >= 0
          && (total == 0 || (used <= total && available <= total));
    }
  }
}
