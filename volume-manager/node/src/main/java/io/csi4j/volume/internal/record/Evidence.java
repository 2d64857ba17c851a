package io.csi4j.volume.internal.record;

/**
 * The looks of a mount when it was last seen at a path of ours: enough to tell it from another one,
 * also after a restart.
 *
 * @param ref the mount itself, as mount-linux writes it; no mount outlives its boot
 * @param type the type of its filesystem
 * @param source its device or server, escaped
 * @param root which directory of the filesystem it shows, escaped
 * @param readOnly whether nothing can be written through it
 */
public record Evidence(String ref, String type, String source, String root, boolean readOnly) {

  /** The mount in words, for people. */
  public String words() {
    return type
        + " from "
        + source
        + (root.equals("/") ? "" : ", its directory " + root)
        + (readOnly ? ", read-only" : "");
  }

  /** Whether both show the same directory of the same filesystem, be it through another mount. */
  public boolean looksLike(Evidence other) {
    return looks().equals(other.looks());
  }

  /** The part that is equal for mounts that look alike. */
  public Looks looks() {
    return new Looks(type, source, root);
  }

  /**
   * A directory of a filesystem.
   *
   * @param type the type of the filesystem
   * @param source its device or server, escaped
   * @param root which directory of it, escaped
   */
  public record Looks(String type, String source, String root) {}
}
