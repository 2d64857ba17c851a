package io.csi4j.volume.internal.record;

/**
 * The appearance of a mount when it was last seen at a path of the manager. It suffices to
 * distinguish the mount from another mount, even after a restart.
 *
 * @param ref the reference to the mount, as mount-linux encodes it. It is valid only during one
 *     boot
 * @param type the type of the mounted filesystem
 * @param source the device or server of the filesystem, escaped
 * @param root the directory of the filesystem that the mount shows, escaped
 * @param readOnly whether the mount is read-only
 */
public record Evidence(String ref, String type, String source, String root, boolean readOnly) {

  /** Returns a description of the mount for people. */
  public String words() {
    return type
        + " from "
        + source
        + (root.equals("/") ? "" : ", its directory " + root)
        + (readOnly ? ", read-only" : "");
  }

  /**
   * Returns whether both mounts show the same directory of the same filesystem, even if they are
   * different mounts.
   */
  public boolean looksLike(Evidence other) {
    return looks().equals(other.looks());
  }

  /** Returns the part of the evidence that is equal for all mounts of the same directory. */
  public Looks looks() {
    return new Looks(type, source, root);
  }

  /**
   * A directory of a filesystem.
   *
   * @param type the type of the filesystem
   * @param source the device or server of the filesystem, escaped
   * @param root the directory, escaped
   */
  public record Looks(String type, String source, String root) {}
}
