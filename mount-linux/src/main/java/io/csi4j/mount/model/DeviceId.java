package io.csi4j.mount.model;

/**
 * The device of a filesystem, as the kernel numbers it; {@code 8:1}. A filesystem without a device
 * has a virtual one with major number 0.
 *
 * @param major the major number
 * @param minor the minor number
 * @since 1.0
 */
public record DeviceId(int major, int minor) {

  /** Refuses negative numbers. */
  public DeviceId {
    if (major < 0 || minor < 0) {
      throw new IllegalArgumentException(
          "The device number " + major + ":" + minor + " is negative. Both parts count from 0.");
    }
  }

  /** Returns the form of the kernel's tables. */
  @Override
  public String toString() {
    return major + ":" + minor;
  }
}
