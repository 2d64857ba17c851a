package io.csi4j.benchmarks.start;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Prints the resident memory of a host that is connected. */
final class Resident {

  /** The beginning of the line with the number of bytes. */
  static final String LINE = "resident ";

  private static final String FIELD = "VmRSS:";

  private Resident() {}

  /** Prints the resident memory of this process in bytes. */
  static void print() throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
      if (line.startsWith(FIELD)) {
        String kibibytes = line.substring(FIELD.length()).replace("kB", "").strip();
        System.out.println(LINE + 1024 * Long.parseLong(kibibytes));
      }
    }
  }
}
