package io.csi4j.volume.internal.port;

import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.internal.record.Evidence;
import java.util.Set;

/**
 * A mount as the mount table showed it.
 *
 * @param path the mount point
 * @param device the device number of the mounted filesystem, as text
 * @param evidence the appearance of the mount
 * @param health the health of the mount
 * @param limits the restrictions of the mount, as mount flags such as {@code nosuid}
 */
public record Sighting(
    MountPath path, String device, Evidence evidence, Health health, Set<String> limits) {

  /** The health of a mount, as far as it is known without waiting for its server. */
  public enum Health {
    /** No fault is known. */
    WELL,
    /** The mount shows a deleted file or directory, so it can only be unmounted. */
    DELETED,
    /** The server of the mount has ended, so the mount can only be unmounted. */
    DEAD,
    /** The server of the mount did not answer a health query in time. */
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
   * Returns whether the mount can only be unmounted, because its source was deleted or its server
   * has ended.
   */
  public boolean broken() {
    return health == Health.DELETED || health == Health.DEAD;
  }
}
