package io.csi4j.volume.node;

import io.csi4j.volume.model.VolumeUse;
import java.nio.file.Path;

/**
 * A volume that a workload has: the mount table showed it when this was said.
 *
 * @since 1.0
 */
public sealed interface MountedVolume {

  /** Whose it is. */
  VolumeUse usage();

  /** Where it is on this host. */
  Path path();

  /** Whether it may only be read. */
  boolean readOnly();

  /**
   * A filesystem.
   *
   * @param usage whose it is
   * @param path its root directory on this host
   * @param readOnly whether it may only be read
   */
  record Filesystem(VolumeUse usage, Path path, boolean readOnly) implements MountedVolume {}

  /**
   * A raw block device.
   *
   * @param usage whose it is
   * @param path the device node on this host
   * @param readOnly whether it may only be read
   */
  record BlockDevice(VolumeUse usage, Path path, boolean readOnly) implements MountedVolume {}
}
