package io.csi4j.testkit.internal.hostpath;

import java.io.IOException;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * A copy of everything in a directory into another one that no other writes to: permissions, times,
 * symbolic links as they are, hard links, holes, and owners where the kernel lets it. Set-user-id
 * bits are not copied, nor are sockets, pipes and device files.
 */
final class TreeCopy implements Tree.Visitor {

  private final Path from;
  private final Path to;
  private final Map<Object, Path> copied = new HashMap<>();

  private TreeCopy(Path from, Path to) {
    this.from = from;
    this.to = to;
  }

  /** Copies what is in one directory, and its own permissions, to another that is empty. */
  static void copy(Path from, Path to) throws IOException {
    Tree.walk(from, new TreeCopy(from, to));
    finish(to, Files.readAttributes(from, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS));
  }

  @Override
  public void enter(Tree.Entry directory) throws IOException {
    Files.createDirectory(to.resolve(directory.relative()));
  }

  @Override
  public void leave(Tree.Entry directory) throws IOException {
    // Not before: what may not be written to could not be filled.
    finish(to.resolve(directory.relative()), directory.attributes());
  }

  @Override
  public void visit(Tree.Entry entry) throws IOException {
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
        // Not ours to give away: then it belongs to the user who copied it.
      }
    }
    view.setPermissions(as.permissions());
    view.setTimes(as.lastModifiedTime(), null, null);
  }
}
