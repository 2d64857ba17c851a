package io.csi4j.testkit.internal.hostpath;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * A walk through the directories of a volume, by open directories and not by paths: a writer to the
 * volume cannot lead it elsewhere meanwhile with a symbolic link.
 */
final class Tree {

  /** Deeper than any path that a system call takes in one piece. */
  private static final int MAX_DEPTH = 1000;

  private final Visitor visitor;

  private Tree(Visitor visitor) {
    this.visitor = visitor;
  }

  /** Something in the tree that is no directory, or a directory seen from above. */
  record Entry(
      SecureDirectoryStream<Path> above, Path name, Path relative, PosixFileAttributes attributes) {

    /** How its attributes are changed. */
    PosixFileAttributeView view() {
      return Objects.requireNonNull(
          above.getFileAttributeView(
              name, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS));
    }
  }

  /** Is called on the way. */
  interface Visitor {
    /** A directory, before what is in it. */
    default void enter(Entry directory) throws IOException {}

    /** Anything else. */
    void visit(Entry entry) throws IOException;

    /** A directory, after what is in it. */
    default void leave(Entry directory) throws IOException {}
  }

  /** Walks through everything below {@code root}, which is a directory itself. */
  static void walk(Path root, Visitor visitor) throws IOException {
    try (DirectoryStream<Path> stream = Files.newDirectoryStream(root)) {
      if (!(stream instanceof SecureDirectoryStream<Path> secure)) {
        throw new IOException(
            "The directory "
                + root
                + " cannot be walked through: its filesystem gives no safe way. Use a local one.");
      }
      new Tree(visitor).walk(secure, Path.of(""), 1);
    }
  }

  private void walk(SecureDirectoryStream<Path> directory, Path relative, int depth)
      throws IOException {
    if (depth > MAX_DEPTH) {
      throw new IOException(
          "The directories of the volume are more than "
              + MAX_DEPTH
              + " deep. Move the lower ones up.");
    }
    List<Path> names = new ArrayList<>();
    directory.forEach(each -> names.add(Objects.requireNonNull(each.getFileName())));
    for (Path name : names) {
      PosixFileAttributes attributes =
          Objects.requireNonNull(
                  directory.getFileAttributeView(
                      name, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS))
              .readAttributes();
      Entry entry = new Entry(directory, name, relative.resolve(name), attributes);
      if (!attributes.isDirectory()) {
        visitor.visit(entry);
        continue;
      }
      visitor.enter(entry);
      try (SecureDirectoryStream<Path> below =
          directory.newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS)) {
        walk(below, entry.relative(), depth + 1);
      }
      visitor.leave(entry);
    }
  }
}
