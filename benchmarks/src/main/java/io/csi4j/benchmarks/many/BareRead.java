package io.csi4j.benchmarks.many;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * Reads the data that a manager must read when it is opened, and ignores it: every file below the
 * manager's directory, except files of volumes, and the mount table. The arguments are ROOT TABLE.
 */
public final class BareRead {

  /** The beginning of the line that is printed when everything is read. */
  static final String DONE = "read ";

  private BareRead() {}

  /** Reads the files and the mount table. */
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
