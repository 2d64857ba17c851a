package io.csi4j.volume.internal.port;

import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.internal.record.Evidence;
import java.util.Set;

/**
 * One mount that was seen.
 *
 * @param path where
 * @param device the device of its filesystem, as text
 * @param evidence what it looks like
 * @param health how it is
 * @param limits what may not be done through it, as mount flags name it: {@code nosuid}
 */
public record Sighting(
    MountPath path, String device, Evidence evidence, Health health, Set<String> limits) {

  /** The health of a mount, as far as it is known without waiting for the mount. */
  public enum Health {
    /** Nothing is known to be wrong with it. */
    WELL,
    /** The mount shows something that was deleted; it can only be unmounted. */
    DELETED,
    /** Its server has ended; it can only be unmounted. */
    DEAD,
    /** Its server was asked and has not answered in time. */
    SILENT
  }

  /** Copies the set. */
  public Sighting {
    limits = Set.copyOf(limits);
  }

  /** A mount whose limits are not asked for. */
  public Sighting(MountPath path, String device, Evidence evidence, Health health) {
    this(path, device, evidence, health, Set.of());
  }

  /** A mount that is well, as far as is known. */
  public Sighting(MountPath path, String device, Evidence evidence) {
    this(path, device, evidence, Health.WELL);
  }

  /** Whether it can only be unmounted: its source was deleted, or its server is gone. */
  public boolean broken() {
    return health == Health.DELETED || health == Health.DEAD;
  }
}
