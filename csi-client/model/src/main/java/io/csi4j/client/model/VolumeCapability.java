package io.csi4j.client.model;

import java.util.Optional;

/**
 * One way to use a volume: by whom, and as what. Compares by value.
 *
 * @param accessMode how many nodes may use it, and which may write
 * @param accessType block device or filesystem
 * @since 1.0
 */
public record VolumeCapability(AccessMode accessMode, AccessType accessType) {

  /** Use as a mounted filesystem. */
  public static VolumeCapability mount(AccessMode mode, MountOptions options) {
    return new VolumeCapability(mode, new AccessType.Mount(options));
  }

  /** Use as a mounted filesystem, with everything left to the plugin. */
  public static VolumeCapability mount(AccessMode mode) {
    return mount(mode, MountOptions.none());
  }

  /** Use as a raw block device. */
  public static VolumeCapability block(AccessMode mode) {
    return new VolumeCapability(mode, new AccessType.Block());
  }

  /** How to mount it; nothing for a block device. */
  public Optional<MountOptions> mountOptions() {
    return accessType instanceof AccessType.Mount mount
        ? Optional.of(mount.options())
        : Optional.empty();
  }

  /** Whether it is a raw block device. */
  public boolean isBlock() {
    return accessType instanceof AccessType.Block;
  }

  /** Returns the use under another access mode. */
  public VolumeCapability withAccessMode(AccessMode mode) {
    return new VolumeCapability(mode, accessType);
  }

  /**
   * The same use, with the parts replaced that {@code request} states; a block device has no mount
   * options and stays as it is.
   */
  public VolumeCapability overlaidWith(MountOptions request) {
    return mountOptions().map(own -> mount(accessMode, own.overlaidWith(request))).orElse(this);
  }

  /**
   * Whether a volume is used as a raw block device or as a mounted filesystem.
   *
   * @since 1.0
   */
  public sealed interface AccessType {

    /** As a raw block device. */
    record Block() implements AccessType {}

    /**
     * As a mounted filesystem.
     *
     * @param options how to mount it
     */
    record Mount(MountOptions options) implements AccessType {}

    /** Nothing stated. Never sent; some plugins answer with it. */
    record Unspecified() implements AccessType {}
  }
}
