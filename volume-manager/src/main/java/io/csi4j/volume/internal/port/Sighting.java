package io.csi4j.volume.internal.port;

import io.csi4j.mount.MountPath;
import io.csi4j.volume.internal.record.Evidence;

/**
 * One mount that was seen.
 *
 * @param path where
 * @param device the device of its filesystem, as text
 * @param evidence what it looks like
 * @param broken whether it can only be unmounted: its source was deleted, or its server is gone
 */
public record Sighting(MountPath path, String device, Evidence evidence, boolean broken) {

  /** A mount that is well, as far as anybody knows. */
  public Sighting(MountPath path, String device, Evidence evidence) {
    this(path, device, evidence, false);
  }
}
