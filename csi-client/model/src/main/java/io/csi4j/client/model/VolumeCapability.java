package io.csi4j.client.model;

import java.util.Optional;

/**
 * One use of a volume: how many nodes use it, and whether as a block device or as a filesystem.
 * Capabilities with equal values are equal.
 *
 * @param accessMode how many nodes may use the volume, and how many of them may write
 * @param accessType block device or filesystem
 * @since 1.0
 */
public record VolumeCapability(AccessMode accessMode, AccessType accessType) {

  /** Returns the use as a mounted filesystem. */
  public static VolumeCapability mount(AccessMode mode, MountOptions options) {
    return new VolumeCapability(mode, new AccessType.Mount(options));
  }

  /** Returns the use as a mounted filesystem; the plugin chooses all mount options. */
  public static VolumeCapability mount(AccessMode mode) {
    return mount(mode, MountOptions.none());
  }

  /** Returns the use as a raw block device. */
  public static VolumeCapability block(AccessMode mode) {
    return new VolumeCapability(mode, new AccessType.Block());
  }

  /** The mount options; empty for a block device. */
  public Optional<MountOptions> mountOptions() {
    return accessType instanceof AccessType.Mount mount
        ? Optional.of(mount.options())
        : Optional.empty();
  }

  /** Whether the volume is used as a raw block device. */
  public boolean isBlock() {
    return accessType instanceof AccessType.Block;
  }

  /** Returns this use with another access mode. */
  public VolumeCapability withAccessMode(AccessMode mode) {
    return new VolumeCapability(mode, accessType);
  }

  /**
   * Returns this use, but with each mount option that {@code request} sets taken from {@code
   * request}. A block device has no mount options and stays unchanged.
   */
  public VolumeCapability overlaidWith(MountOptions request) {
    return mountOptions().map(own -> mount(accessMode, own.overlaidWith(request))).orElse(this);
  }

  /**
   * The use of a volume as a raw block device or as a mounted filesystem.
   *
   * @since 1.0
   */
  public sealed interface AccessType {

    /** Use as a raw block device. */
    record Block() implements AccessType {}

    /**
     * Use as a mounted filesystem.
     *
     * @param options the mount options
     */
    record Mount(MountOptions options) implements AccessType {}

    /** No access type is set. The client never sends this value, but some plugins return it. */
    record Unspecified() implements AccessType {}
  }
}
