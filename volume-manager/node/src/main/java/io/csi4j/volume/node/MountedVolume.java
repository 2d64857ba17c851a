package io.csi4j.volume.node;

import io.csi4j.volume.model.SelinuxLabel;
import io.csi4j.volume.model.VolumeUse;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A volume that is mounted for a workload. The mount table showed the mount when this value was
 * created.
 *
 * @since 1.0
 */
public sealed interface MountedVolume {

  /** Returns the volume and the workload that uses it. */
  VolumeUse usage();

  /** Returns the path of the volume on this host. */
  Path path();

  /** Returns whether the workload may only read the volume. */
  boolean readOnly();

  /**
   * A filesystem.
   *
   * @param usage the volume and the workload
   * @param path the root directory of the filesystem on this host
   * @param readOnly whether the workload may only read
   * @param selinuxLabel the label with which the filesystem is mounted. All its files show this
   *     label, and the caller cannot relabel them
   * @param volumeMountGroup the group for which the plugin mounted the filesystem; the caller must
   *     not change the owners of the files
   */
  record Filesystem(
      VolumeUse usage,
      Path path,
      boolean readOnly,
      Optional<SelinuxLabel> selinuxLabel,
      Optional<String> volumeMountGroup)
      implements MountedVolume {

    /** Creates a filesystem that is mounted for no group. */
    public Filesystem(
        VolumeUse usage, Path path, boolean readOnly, Optional<SelinuxLabel> selinuxLabel) {
      this(usage, path, readOnly, selinuxLabel, Optional.empty());
    }

    /** Creates a filesystem that is mounted for no group and without a label. */
    public Filesystem(VolumeUse usage, Path path, boolean readOnly) {
      this(usage, path, readOnly, Optional.empty());
    }
  }

  /**
   * A raw block device.
   *
   * @param usage the volume and the workload
   * @param path the device node on this host
   * @param readOnly whether the workload may only read
   */
  record BlockDevice(VolumeUse usage, Path path, boolean readOnly) implements MountedVolume {}
}
