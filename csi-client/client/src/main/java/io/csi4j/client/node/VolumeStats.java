package io.csi4j.client.node;

import io.csi4j.client.model.Experimental;
import io.csi4j.client.model.VolumeCondition;
import java.util.List;
import java.util.Optional;

/**
 * How much of a volume is in use, and whether it is well.
 *
 * @since 1.0
 */
public interface VolumeStats {

  /** The figures, by unit. */
  List<Usage> usage();

  /** Whether it is fully usable; nothing means unknown. */
  @Experimental
  Optional<VolumeCondition> condition();

  /** The figures in bytes, if the plugin gave them. */
  default Optional<Usage> bytes() {
    return usage().stream().filter(each -> each.unit() == Usage.Unit.BYTES).findFirst();
  }

  /** The figures in inodes, if the plugin gave them. */
  default Optional<Usage> inodes() {
    return usage().stream().filter(each -> each.unit() == Usage.Unit.INODES).findFirst();
  }

  /**
   * How much of a volume is in use, in one unit; as the plugin said it.
   *
   * @param unit what is counted
   * @param available how much is left; zero if not reported
   * @param total how much there is; zero if not reported
   * @param used how much is in use; zero if not reported
   * @since 1.0
   */
  record Usage(Unit unit, long available, long total, long used) {

    /** The units that can be counted. */
    public enum Unit {
      /** Bytes. */
      BYTES,
      /** Inodes. */
      INODES,
      /** Something that this library does not know. */
      UNRECOGNIZED
    }

    /** Whether the figures can be true: none is negative, and no part is larger than the whole. */
    public boolean isPlausible() {
      return available >= 0
          && total >= 0
          && used >= 0
          && (total == 0 || (used <= total && available <= total));
    }
  }
}
