package io.csi4j.volume.internal.record;

/**
 * The appearance of a mount when it was last seen at a path of the manager: enough to distinguish
 * it from another one, even after a restart.
 *
 * @param ref the mount itself, as mount-linux writes it; no mount outlives its boot
 * @param type the type of its filesystem
 * @param source its device or server, escaped
 * @param root the directory of the filesystem that it shows, escaped
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
   * Returns whether both show the same directory of the same filesystem, even through another
   * mount.
   */
  public boolean looksLike(Evidence other) {
    return looks().equals(other.looks());
  }

  /** Returns the part of the evidence that is equal for mounts that look alike. */
  public Looks looks() {
    return new Looks(type, source, root);
  }

  /**
   * A directory of a filesystem.
   *
   * @param type the type of the filesystem
   * @param source its device or server, escaped
   * @param root the directory, escaped
   */
  public record Looks(String type, String source, String root) {}
}
