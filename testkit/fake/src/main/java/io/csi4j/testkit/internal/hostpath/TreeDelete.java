package io.csi4j.testkit.internal.hostpath;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/** The removal of a directory that the plugin made, with everything in it; nothing is followed. */
final class TreeDelete implements Tree.Visitor {

  private TreeDelete() {}

  /** Removes a directory in which nothing is mounted. If it is missing, nothing is done. */
  static void delete(Path directory) throws IOException {
    if (Files.exists(directory, LinkOption.NOFOLLOW_LINKS)) {
      Tree.walk(directory, new TreeDelete());
      Files.delete(directory);
    }
  }

  @Override
  public void enter(Tree.Entry directory) throws IOException {
    var permissions = PosixFilePermissions.fromString("rwx------");
    if (!directory.attributes().permissions().containsAll(permissions)) {
      try {
        directory.view().setPermissions(permissions);
      } catch (FileSystemException e) {
        // Then going in fails too, and says why.
      }
    }
  }

  @Override
  public void visit(Tree.Entry entry) throws IOException {
    entry.above().deleteFile(entry.name());
  }

  @Override
  public void leave(Tree.Entry directory) throws IOException {
    directory.above().deleteDirectory(directory.name());
  }
}
