package io.csi4j.mount.internal.kernel;

/**
 * The answer of {@code statx} about the mount at a path: three numbers of its structure. Unlike an
 * array for the whole structure, this object is so small that the JVM can avoid allocating it.
 */
public final class MountLook {

  private long attributes;
  private long knownAttributes;
  private long mount;

  /** Sets the numbers of the structure. */
  public void set(long attributes, long knownAttributes, long mount) {
    this.attributes = attributes;
    this.knownAttributes = knownAttributes;
    this.mount = mount;
  }

  /** Returns whether the kernel reports the roots of mounts. */
  public boolean knowsRoots() {
    return (knownAttributes & Abi.STATX_ATTR_MOUNT_ROOT) != 0;
  }

  /** Returns whether the path is the root of a mount. */
  public boolean isRoot() {
    return (attributes & Abi.STATX_ATTR_MOUNT_ROOT) != 0;
  }

  /** Returns the number of the mount. */
  public long mount() {
    return mount;
  }
}
