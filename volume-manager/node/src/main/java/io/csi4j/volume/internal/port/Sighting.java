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

  /** How a mount is, as far as anybody knows without waiting for it. */
  public enum Health {
    /** Nothing is known to be wrong with it. */
    WELL,
    /** What it shows was deleted; it can only be unmounted. */
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

  /** A mount with no limits that anybody asks for. */
  public Sighting(MountPath path, String device, Evidence evidence, Health health) {
    this(path, device, evidence, health, Set.of());
  }

  /** The same, that is well, as far as anybody knows. */
  public Sighting(MountPath path, String device, Evidence evidence) {
    this(path, device, evidence, Health.WELL);
  }

  /** Whether it can only be unmounted: its source was deleted, or its server is gone. */
  public boolean broken() {
    return health == Health.DELETED || health == Health.DEAD;
  }
}
