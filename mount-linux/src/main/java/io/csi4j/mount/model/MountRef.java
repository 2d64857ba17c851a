package io.csi4j.mount.model;

/**
 * One mount at one path, in a form that can be kept in a file and asked about later with {@link
 * io.csi4j.mount.MountTable#check}.
 *
 * @param path where it was mounted when the reference was taken
 * @param bootId which boot of the machine; no mount outlives it
 * @param identity what tells it from other mounts of this boot
 */
public record MountRef(MountPath path, String bootId, MountIdentity identity) {

  /**
   * Reads what {@link #encode} wrote.
   *
   * @throws IllegalArgumentException for anything else, saying what is wrong with it
   */
  public static MountRef parse(String text) {
    return RefText.read(text);
  }

  /** The reference as one line of ASCII without blanks at its ends. */
  public String encode() {
    return RefText.write(this);
  }

  /** The reference for people: {@code mount 123 at /path}. */
  @Override
  public String toString() {
    return identity + " at " + path;
  }
}
