package io.csi4j.conformance.internal.plugin;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** The mounts that this process sees, which are those of the plugin if it shares the namespace. */
final class SeenMounts {

  private static final Path TABLE = Path.of("/proc/self/mountinfo");

  private SeenMounts() {}

  /** Returns the number of mounts stacked at a path; 0 as well if they cannot be seen. */
  static int at(Path path) {
    try {
      Path parent = path.toAbsolutePath().getParent();
      if (parent == null) {
        return 0;
      }
      String point = spelled(parent.toRealPath().resolve(path.getFileName()).toString());
      // Bytes as they are: a mount of others may have any name.
      String table = Files.readString(TABLE, StandardCharsets.ISO_8859_1);
      return (int)
          table
              .lines()
              .map(line -> line.split(" ", 6))
              .filter(fields -> fields.length > 5 && fields[4].equals(point))
              .count();
    } catch (IOException e) {
      return 0;
    }
  }

  /** A path as the kernel writes it, its bytes read as Latin-1. */
  private static String spelled(String path) {
    String bytes = new String(path.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
    return bytes
        .replace("\\", "\\134")
        .replace(" ", "\\040")
        .replace("\t", "\\011")
        .replace("\n", "\\012");
  }
}
