package io.csi4j.client.model;

import io.csi4j.client.internal.text.SafeText;
import java.util.Optional;

/**
 * The mount options of a volume: filesystem, flags, owning group. Each part is optional.
 *
 * @param fsType the filesystem; empty to let the plugin choose
 * @param flags the mount flags; if absent, the flags of the volume apply; an empty list means no
 *     flags
 * @param volumeMountGroup the group that will own the files; for plugins with the capability
 *     VOLUME_MOUNT_GROUP
 * @since 1.0
 */
public record MountOptions(
    Optional<String> fsType, Optional<MountFlags> flags, Optional<String> volumeMountGroup) {

  private static final MountOptions NONE =
      new MountOptions(Optional.empty(), Optional.empty(), Optional.empty());

  /** Treats an empty text as not set. */
  public MountOptions {
    fsType = fsType.filter(text -> !text.isEmpty());
    volumeMountGroup = volumeMountGroup.filter(text -> !text.isEmpty());
  }

  /** Returns options in which no part is set. */
  public static MountOptions none() {
    return NONE;
  }

  /** Returns these options with this filesystem. */
  public MountOptions withFsType(String type) {
    return new MountOptions(Optional.of(type), flags, volumeMountGroup);
  }

  /** Returns these options with other flags. */
  public MountOptions withFlags(MountFlags newFlags) {
    return new MountOptions(fsType, Optional.of(newFlags), volumeMountGroup);
  }

  /** Returns these options with this owning group. */
  public MountOptions withVolumeMountGroup(String group) {
    return new MountOptions(fsType, flags, Optional.of(group));
  }

  /**
   * Returns these options, but with each part that {@code request} sets taken from {@code request}.
   * Flags are replaced completely, never merged: an empty list in the request means no flags.
   */
  public MountOptions overlaidWith(MountOptions request) {
    return new MountOptions(
        request.fsType.or(() -> fsType),
        request.flags.or(() -> flags),
        request.volumeMountGroup.or(() -> volumeMountGroup));
  }

  /** Shows all parts except the flags. */
  @Override
  public String toString() {
    return "MountOptions[fsType="
        + fsType.map(SafeText::escape).orElse("any")
        + ", flags="
        + flags.map(MountFlags::toString).orElse("any")
        + ", volumeMountGroup="
        + volumeMountGroup.map(SafeText::escape).orElse("none")
        + "]";
  }
}
