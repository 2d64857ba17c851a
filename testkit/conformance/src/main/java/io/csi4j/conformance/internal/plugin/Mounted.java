package io.csi4j.conformance.internal.plugin;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Looks at what the plugin has mounted, where this process can see it. */
final class Mounted {

  private Mounted() {}

  /** Skips the case unless something is mounted at {@code path} here. */
  static void need(Path path) throws CaseEndedException {
    if (!is(path)) {
      throw new CaseEndedException.Skipped(
          "nothing is mounted at the target path as seen from here: the plugin does not really"
              + " mount, or does so in another mount namespace");
    }
  }

  private static boolean is(Path path) throws CaseEndedException {
    try {
      String spelled = path.toRealPath().toString().replace(" ", "\\040");
      List<String> table = Files.readAllLines(Path.of("/proc/self/mountinfo"));
      return table.stream()
          .map(line -> line.split(" ", -1))
          .anyMatch(fields -> fields.length > 4 && fields[4].equals(spelled));
    } catch (IOException e) {
      throw new CaseEndedException.Skipped("the mounts of this process cannot be read");
    }
  }

  /** Writes an empty file; whether that worked. */
  static boolean write(Path file) {
    try {
      Path unused = Files.createFile(file);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  /** Removes a file; whether that worked. */
  static boolean remove(Path file) {
    try {
      return Files.deleteIfExists(file);
    } catch (IOException e) {
      return false;
    }
  }
}
