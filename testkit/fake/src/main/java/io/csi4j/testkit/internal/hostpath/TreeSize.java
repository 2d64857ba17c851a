package io.csi4j.testkit.internal.hostpath;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;

/** How much is in a directory; a file with several names counts once. */
final class TreeSize implements Tree.Visitor {

  private final Set<Object> seen = new HashSet<>();
  private long bytes;
  private long files = 1;

  private TreeSize() {}

  /**
   * A size.
   *
   * @param bytes of all files
   * @param files how many files and directories, the first one included
   */
  record Size(long bytes, long files) {}

  /** The size of a directory, which may be written to meanwhile. */
  static Size of(Path directory) throws IOException {
    for (int attempt = 1; ; attempt++) {
      TreeSize size = new TreeSize();
      try {
        Tree.walk(directory, size);
        return new Size(size.bytes, size.files);
      } catch (NoSuchFileException e) {
        // Another process removed what was listed a moment ago.
        if (attempt == 5) {
          throw e;
        }
      }
    }
  }

  @Override
  public void enter(Tree.Entry directory) {
    files++;
  }

  @Override
  public void visit(Tree.Entry entry) {
    if (seen.add(entry.attributes().fileKey())) {
      files++;
      bytes += entry.attributes().isRegularFile() ? entry.attributes().size() : 0;
    }
  }
}
