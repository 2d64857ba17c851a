package io.csi4j.benchmarks.many;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * Reads what a manager has to read when it is opened, and does nothing with it: every file below
 * its directory but those of volumes, and the mount table. ROOT TABLE.
 */
public final class BareRead {

  /** Begins the line that is printed when all is read. */
  static final String DONE = "read ";

  private BareRead() {}

  /** Reads them. */
  public static void main(String[] words) throws IOException {
    Path root = Path.of(words[0]);
    long bytes = Files.size(root);
    try (Stream<Path> files = Files.walk(root.resolve("state"))) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        bytes += read(file);
      }
    }
    List<String> mounts = Files.readAllLines(Path.of(words[1]));
    System.out.println(DONE + bytes + " bytes and " + mounts.size() + " mounts");
  }

  private static long read(Path file) {
    try {
      return Files.readAllBytes(file).length;
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }
}
