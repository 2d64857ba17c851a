package io.csi4j.mount.internal.proc;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;

/**
 * The files below {@code /proc} and {@code /sys}, which no volume can stand behind. Anything else
 * is refused, so that no call of the JDK ever touches a volume.
 */
public final class ProcFiles {

  private ProcFiles() {}

  /** Opens a file; the caller closes it. */
  public static InputStream open(String path) throws IOException {
    return new FileInputStream(checked(path));
  }

  /** All bytes of a file. */
  public static byte[] read(String path) throws IOException {
    try (InputStream in = open(path)) {
      return in.readAllBytes();
    }
  }

  /** The names in a directory, in no order; none if it cannot be read. */
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
