package io.csi4j.testkit.internal.hostpath;

import java.io.IOException;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Walks through the directories of a volume by open directories, not by paths, so that a process
 * that writes to the volume cannot redirect the walk with a symbolic link. A visitor copies,
 * removes or measures.
 */
final class Tree {

  /** Deeper than any path that a single system call accepts. */
  private static final int MAX_DEPTH = 1000;

  private final Visitor visitor;

  private Tree(Visitor visitor) {
    this.visitor = visitor;
  }

  /** A file in the tree that is not a directory, or a directory as an entry of its parent. */
  record Entry(
      SecureDirectoryStream<Path> above, Path name, Path relative, PosixFileAttributes attributes) {

    PosixFileAttributeView view() {
      return Objects.requireNonNull(
          above.getFileAttributeView(
              name, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS));
    }
  }

  interface Visitor {
    /** Visits a directory, before its content. */
    default void enter(Entry directory) throws IOException {}

    /** Visits any other file. */
    void visit(Entry entry) throws IOException;

    /** Visits a directory, after its content. */
    default void leave(Entry directory) throws IOException {}
  }

  /** Copies the content of one directory, and its permissions, to an empty directory. */
  static void copy(Path from, Path to) throws IOException {
    walk(from, new TreeCopy(from, to));
    TreeCopy.finish(
        to, Files.readAttributes(from, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS));
  }

  /** Removes a directory in which nothing is mounted. Does nothing if it is missing. */
  static void delete(Path directory) throws IOException {
    if (Files.exists(directory, LinkOption.NOFOLLOW_LINKS)) {
      walk(directory, new TreeDelete());
      Files.delete(directory);
    }
  }

  /**
   * The size of all files, and the number of files and directories, including the first directory.
   */
  record Size(long bytes, long files) {}

  /** Returns the size of a directory, which other processes may modify in the meantime. */
  static Size size(Path directory) throws IOException {
    for (int attempt = 1; ; attempt++) {
      TreeSize size = new TreeSize();
      try {
        walk(directory, size);
        return new Size(size.bytes, size.files);
      } catch (NoSuchFileException e) {
        // Another process removed a file after it was listed.
        if (attempt == 5) {
          throw e;
        }
      }
    }
  }

  /** Walks through everything below the directory {@code root}. */
  private static void walk(Path root, Visitor visitor) throws IOException {
    try (DirectoryStream<Path> stream = Files.newDirectoryStream(root)) {
      if (!(stream instanceof SecureDirectoryStream<Path> secure)) {
        throw new IOException(
            "The directory "
                + root
                + " cannot be traversed safely on its filesystem. Use a local one.");
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

  /**
   * Copies the content of a directory into a directory to which no other process writes:
   * permissions, times, symbolic links, hard links, holes, and owners if the kernel permits it.
   * Set-user-id bits, sockets, pipes and device files are not copied.
   */
  private static final class TreeCopy implements Visitor {

    private final Path from;
    private final Path to;
    private final Map<Object, Path> copied = new HashMap<>();

    private TreeCopy(Path from, Path to) {
      this.from = from;
      this.to = to;
    }

    @Override
    public void enter(Entry directory) throws IOException {
      Files.createDirectory(to.resolve(directory.relative()));
    }

    @Override
    public void leave(Entry directory) throws IOException {
      // Not earlier: a read-only directory could not be filled.
      finish(to.resolve(directory.relative()), directory.attributes());
    }

    @Override
    public void visit(Entry entry) throws IOException {
      Path copy = to.resolve(entry.relative());
      if (entry.attributes().isSymbolicLink()) {
        Path where = Files.readSymbolicLink(from.resolve(entry.relative()));
        Files.createSymbolicLink(copy, where);
      } else if (entry.attributes().isRegularFile()) {
        Path before = copied.putIfAbsent(entry.attributes().fileKey(), copy);
        if (before != null) {
          Files.createLink(copy, before);
          return;
        }
        try (SeekableByteChannel source =
            entry
                .above()
                .newByteChannel(
                    entry.name(), Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS))) {
          SparseFile.copy(source, copy);
        }
        finish(copy, entry.attributes());
      }
    }

    private static void finish(Path target, PosixFileAttributes as) throws IOException {
      PosixFileAttributeView view =
          Objects.requireNonNull(
              Files.getFileAttributeView(
                  target, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS));
      PosixFileAttributes now = view.readAttributes();
      if (!now.owner().equals(as.owner()) || !now.group().equals(as.group())) {
        try {
          view.setOwner(as.owner());
          view.setGroup(as.group());
        } catch (FileSystemException e) {
          // The process may not change the owner, so the copy belongs to the user who made it.
        }
      }
      view.setPermissions(as.permissions());
      view.setTimes(as.lastModifiedTime(), null, null);
    }
  }

  /** Removes the content of a directory that the plugin created, without following links. */
  private static final class TreeDelete implements Visitor {
    @Override
    public void enter(Entry directory) throws IOException {
      var permissions = PosixFilePermissions.fromString("rwx------");
      if (!directory.attributes().permissions().containsAll(permissions)) {
        try {
          directory.view().setPermissions(permissions);
        } catch (FileSystemException e) {
          // Then entering the directory fails as well, and reports the reason.
        }
      }
    }

    @Override
    public void visit(Entry entry) throws IOException {
      entry.above().deleteFile(entry.name());
    }

    @Override
    public void leave(Entry directory) throws IOException {
      directory.above().deleteDirectory(directory.name());
    }
  }

  /** Measures the content of a directory; a file with several names counts once. */
  private static final class TreeSize implements Visitor {

    private final Set<Object> seen = new HashSet<>();
    private long bytes;
    private long files = 1;

    @Override
    public void enter(Entry directory) {
      files++;
    }

    @Override
    public void visit(Entry entry) {
      if (seen.add(entry.attributes().fileKey())) {
        files++;
        bytes += entry.attributes().isRegularFile() ? entry.attributes().size() : 0;
      }
    }
  }
}
