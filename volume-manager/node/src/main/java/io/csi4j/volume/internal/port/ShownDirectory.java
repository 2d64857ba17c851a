package io.csi4j.volume.internal.port;

/**
 * Which directory of which filesystem is seen at a path.
 *
 * @param device the device of the filesystem, as text
 * @param root the directory in it, escaped as the mount table does
 */
public record ShownDirectory(String device, String root) {

  /** Whether a mount shows just this directory. */
  public boolean isShownBy(Sighting mount) {
    return mount.device().equals(device) && mount.evidence().root().equals(root);
  }

  /** Whether a mount shows this directory, or one in it. */
  public boolean holdsWhatIsShownBy(Sighting mount) {
    String inside = root.equals("/") ? "/" : root + "/";
    return isShownBy(mount)
        || (mount.device().equals(device) && mount.evidence().root().startsWith(inside));
  }
}
