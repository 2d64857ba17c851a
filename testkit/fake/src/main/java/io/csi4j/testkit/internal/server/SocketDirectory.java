package io.csi4j.testkit.internal.server;

import io.csi4j.client.internal.text.SafeText;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The directories that a server creates for its sockets, and removes when it is closed. */
public final class SocketDirectory {

  private @Nullable Path directory;
  private @Nullable Path topmostMade;

  /**
   * Creates the directory of a socket, and returns the path of the socket. Without a socket,
   * creates a temporary directory and returns a path in it.
   */
  public Path make(@Nullable Path socket) throws IOException {
    if (socket != null) {
      return makeFor(socket.toAbsolutePath());
    }
    Path made = Files.createTempDirectory("csi4j-testkit-").toAbsolutePath();
    directory = made;
    topmostMade = made;
    return made.resolve(SocketSite.MAIN);
  }

  /** Creates the missing directories of this socket's path. */
  private Path makeFor(Path socket) throws IOException {
    Path parent = socket.getParent();
    if (parent == null) {
      throw new IllegalArgumentException(
          "A plugin cannot listen on " + SafeText.quote(socket.toString()) + ". Name a file.");
    }
    directory = parent;
    for (Path each = parent; each != null && !Files.exists(each); each = each.getParent()) {
      topmostMade = each;
    }
    try {
      Files.createDirectories(parent);
    } catch (IOException e) {
      throw new IOException(
          "Making the directory "
              + SafeText.quote(parent.toString())
              + " for the sockets of the plugin failed: "
              + SafeText.escape(e.toString())
              + ". Give it a directory that it may write into.",
          e);
    }
    return socket;
  }

  /** Removes the created directories, innermost first. */
  public void remove() throws IOException {
    Path top = topmostMade;
    try {
      for (Path each = directory;
          top != null && each != null && each.startsWith(top);
          each = each.getParent()) {
        if (Files.isDirectory(each, LinkOption.NOFOLLOW_LINKS)) {
          Files.deleteIfExists(each);
        }
      }
    } catch (DirectoryNotEmptyException e) {
      // The directory contains a foreign file, so this directory and its parents remain.
      topmostMade = null;
    }
  }
}
