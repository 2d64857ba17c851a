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
  List<VolumeUsage> usage();

  /** Whether it is fully usable; nothing means unknown. */
  @Experimental
  Optional<VolumeCondition> condition();

  /** The figures in bytes, if the plugin gave them. */
  default Optional<VolumeUsage> bytes() {
    return usage().stream().filter(each -> each.unit() == VolumeUsage.Unit.BYTES).findFirst();
  }

  /** The figures in inodes, if the plugin gave them. */
  default Optional<VolumeUsage> inodes() {
    return usage().stream().filter(each -> each.unit() == VolumeUsage.Unit.INODES).findFirst();
  }
}
