package io.csi4j.mount.internal.kernel;

/**
 * The answer of {@code statx} about the mount at a path: the three numbers of its structure that a
 * look needs. It is so small that a JVM leaves it out of its memory, unlike an array for the
 * structure.
 */
public final class MountLook {

  private long attributes;
  private long knownAttributes;
  private long mount;

  /** Takes what the structure has. */
  public void set(long attributes, long knownAttributes, long mount) {
    this.attributes = attributes;
    this.knownAttributes = knownAttributes;
    this.mount = mount;
  }

  /** Whether the kernel can tell the root of a mount from what is in it. */
  public boolean knowsRoots() {
    return (knownAttributes & Abi.STATX_ATTR_MOUNT_ROOT) != 0;
  }

  /** Whether the path is the root of a mount. */
  public boolean isRoot() {
    return (attributes & Abi.STATX_ATTR_MOUNT_ROOT) != 0;
  }

  /** The number of the mount. */
  public long mount() {
    return mount;
  }
}
