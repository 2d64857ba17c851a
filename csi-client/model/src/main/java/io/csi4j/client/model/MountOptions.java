package io.csi4j.client.model;

import io.csi4j.client.internal.text.SafeText;
import java.util.Optional;

/**
 * How a volume is to be mounted: filesystem, flags, owning group. Each part may be left open.
 *
 * @param fsType the filesystem, or nothing to leave it to the plugin
 * @param flags the mount flags; nothing, unlike an empty list, gives way to a volume's own flags
 * @param volumeMountGroup the group to own the files, for plugins with VOLUME_MOUNT_GROUP
 * @since 1.0
 */
public record MountOptions(
    Optional<String> fsType, Optional<MountFlags> flags, Optional<String> volumeMountGroup) {

  private static final MountOptions NONE =
      new MountOptions(Optional.empty(), Optional.empty(), Optional.empty());

  /** An empty text counts as absent. */
  public MountOptions {
    fsType = fsType.filter(text -> !text.isEmpty());
    volumeMountGroup = volumeMountGroup.filter(text -> !text.isEmpty());
  }

  /** Everything left open. */
  public static MountOptions none() {
    return NONE;
  }

  /** These options with this filesystem. */
  public MountOptions withFsType(String type) {
    return new MountOptions(Optional.of(type), flags, volumeMountGroup);
  }

  /** These options with these flags instead of their own. */
  public MountOptions withFlags(MountFlags newFlags) {
    return new MountOptions(fsType, Optional.of(newFlags), volumeMountGroup);
  }

  /** These options with this owning group. */
  public MountOptions withVolumeMountGroup(String group) {
    return new MountOptions(fsType, flags, Optional.of(group));
  }

  /**
   * These options with every part replaced that {@code request} states. Flags are replaced as a
   * whole, never joined: an empty list in the request means no flags.
   */
  public MountOptions overlaidWith(MountOptions request) {
    return new MountOptions(
        request.fsType.or(() -> fsType),
        request.flags.or(() -> flags),
        request.volumeMountGroup.or(() -> volumeMountGroup));
  }

  /** Shows everything but the flags. */
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
