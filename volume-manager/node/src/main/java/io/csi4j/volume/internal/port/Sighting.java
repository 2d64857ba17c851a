package io.csi4j.volume.internal.port;

import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.internal.record.Evidence;
import java.util.Set;

/**
 * One observed mount.
 *
 * @param path its mount point
 * @param device the device of its filesystem, as text
 * @param evidence its appearance
 * @param health its health
 * @param limits its restrictions, named as mount flags: {@code nosuid}
 */
public record Sighting(
    MountPath path, String device, Evidence evidence, Health health, Set<String> limits) {

  /** The health of a mount, as far as it is known without waiting for the mount. */
  public enum Health {
    /** No fault is known. */
    WELL,
    /** The mount shows a deleted file or directory; it can only be unmounted. */
    DELETED,
    /** Its server has ended; it can only be unmounted. */
    DEAD,
    /** Its server did not answer a health query in time. */
    SILENT
  }

  /** Copies the set. */
  public Sighting {
    limits = Set.copyOf(limits);
  }

  /** Creates a sighting without restrictions. */
  public Sighting(MountPath path, String device, Evidence evidence, Health health) {
    this(path, device, evidence, health, Set.of());
  }

  /** Creates a sighting of a healthy mount. */
  public Sighting(MountPath path, String device, Evidence evidence) {
    this(path, device, evidence, Health.WELL);
  }

  /**
   * Returns whether the mount can only be unmounted: its source was deleted, or its server has
   * ended.
   */
  public boolean broken() {
    return health == Health.DELETED || health == Health.DEAD;
  }
}
