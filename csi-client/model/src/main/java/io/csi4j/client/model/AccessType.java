package io.csi4j.client.model;

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
