package io.csi4j.mount.internal.proc;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Reads files below {@code /proc} and {@code /sys}, which are never on a volume. Any other path is
 * refused, so that no call of the JDK ever accesses a volume.
 */
public final class ProcFiles {

  private static final String MOUNT_ID = "mnt_id:";

  private ProcFiles() {}

  /** Opens a file; the caller closes it. */
  public static InputStream open(String path) throws IOException {
    return new FileInputStream(checked(path));
  }

  /** Returns all bytes of a file. */
  public static byte[] read(String path) throws IOException {
    try (InputStream in = open(path)) {
      return in.readAllBytes();
    }
  }

  /**
   * Returns the number, in the text tables, of the mount of a descriptor.
   *
   * @param process the number of its process, or {@code self} or {@code thread-self}
   * @throws IOException also if the file does not contain it
   */
  public static int mountId(String process, Object descriptor) throws IOException {
    byte[] bytes = read("/proc/" + process + "/fdinfo/" + descriptor);
    String info = new String(bytes, StandardCharsets.ISO_8859_1);
    int at = info.indexOf(MOUNT_ID);
    int end = info.indexOf('\n', Math.max(at, 0));
    try {
      if (at >= 0 && end >= 0) {
        return Integer.parseInt(info.substring(at + MOUNT_ID.length(), end).strip());
      }
    } catch (NumberFormatException e) {
      throw new IOException("fdinfo has no number after " + MOUNT_ID, e);
    }
    throw new IOException("fdinfo has no " + MOUNT_ID);
  }

  /** Returns the names in a directory, in no order; none if it cannot be read. */
  public static List<String> list(String path) {
    String[] names = new File(checked(path)).list();
    return names == null ? List.of() : List.of(names);
  }

  private static String checked(String path) {
    if (!path.startsWith("/proc/") && !path.startsWith("/sys/") && !path.equals("/proc")) {
      throw new IllegalArgumentException(path + " is not below /proc or /sys.");
    }
    return path;
  }
}
