package io.csi4j.mount.model;

/**
 * The identity of a mount, which tells it from all others.
 *
 * <p>An implementation outside this library makes one by the records inside.
 *
 * @since 1.0
 */
public sealed interface MountIdentity {

  /**
   * The number that the kernel gives to one mount only, until it is booted again (Linux 6.8 and
   * newer).
   *
   * @param id the number
   */
  record Unique(long id) implements MountIdentity {
    @Override
    public String toString() {
      return "mount " + id;
    }
  }

  /**
   * The identity on older kernels: a number that the next mount may get, so that it says little
   * without what is mounted.
   *
   * @param id the number
   * @param device the device of the filesystem
   * @param root which directory or file of the filesystem is mounted
   */
  record Reusable(int id, DeviceId device, KernelText root) implements MountIdentity {

    /** Leaves out the kernel's mark of a deleted root: it is the same mount before and after. */
    public Reusable {
      root = root.withoutDeletedMark();
    }

    @Override
    public String toString() {
      return "mount " + id + " of " + root + " on device " + device;
    }
  }
}
