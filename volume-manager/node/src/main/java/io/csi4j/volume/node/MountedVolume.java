package io.csi4j.volume.node;

import io.csi4j.volume.model.SelinuxLabel;
import io.csi4j.volume.model.VolumeUse;
import java.nio.file.Path;
import java.util.Optional;

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
   * @param selinuxLabel the label that all its files show, as it is mounted with it: they are not
   *     to be relabelled, and cannot be
   * @param volumeMountGroup the group for which the plugin has mounted it: the owners of its files
   *     are not to be changed
   */
  record Filesystem(
      VolumeUse usage,
      Path path,
      boolean readOnly,
      Optional<SelinuxLabel> selinuxLabel,
      Optional<String> volumeMountGroup)
      implements MountedVolume {

    /** A filesystem that is mounted for no group. */
    public Filesystem(
        VolumeUse usage, Path path, boolean readOnly, Optional<SelinuxLabel> selinuxLabel) {
      this(usage, path, readOnly, selinuxLabel, Optional.empty());
    }

    /** A filesystem whose files have labels of their own, if any. */
    public Filesystem(VolumeUse usage, Path path, boolean readOnly) {
      this(usage, path, readOnly, Optional.empty());
    }
  }

  /**
   * A raw block device.
   *
   * @param usage whose it is
   * @param path the device node on this host
   * @param readOnly whether it may only be read
   */
  record BlockDevice(VolumeUse usage, Path path, boolean readOnly) implements MountedVolume {}
}
