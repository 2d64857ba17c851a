package io.csi4j.client.internal.transport;

import io.csi4j.client.internal.text.SafeText;
import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.CsiConnectException.Reason;
import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Checks the file of a socket: its type, its permissions, and the users that could replace it. */
public final class SocketFile {

  private static final int KIND = 0170000;
  private static final int SOCKET = 0140000;
  private static final int SYMLINK = 0120000;
  private static final int STICKY = 01000;
  private static final int GROUP_WRITE = 020;
  private static final int OTHERS_WRITE = 02;

  /**
   * Maximum number of directories and links that are checked; a path that the kernel accepts has
   * fewer.
   */
  private static final int MOST_LINKS = 1_000;

  private static final LinkOption[] FOLLOW = {};
  private static final LinkOption[] NO_FOLLOW = {LinkOption.NOFOLLOW_LINKS};

  private SocketFile() {}

  /** Returns the problem with the path, if one is visible without connecting; otherwise null. */
  public static @Nullable ConnectProblem inspect(Path path, ConnectOptions options) {
    try {
      Inode file = Inode.of(path, NO_FOLLOW);
      if (file.isLink()) {
        if (!options.allowSymlink()) {
          return symlink(path);
        }
        file = Inode.of(path, FOLLOW);
      }
      if (file.kind() != SOCKET) {
        return notASocket(path, file);
      }
      return options.allowUnsafeDirectory() ? null : unsafeDirectory(path, options);
    } catch (AccessDeniedException e) {
      return closedDirectory(path);
    } catch (IOException e) {
      return missing(path);
    }
  }

  /**
   * Returns a value that identifies the socket file, and that differs if the plugin recreates the
   * socket at the same path. Null if there is no socket.
   */
  static @Nullable Object identity(Path path) {
    try {
      Map<String, Object> facts = Files.readAttributes(path, "unix:dev,ino,ctime", FOLLOW);
      return List.copyOf(new TreeMap<>(facts).values());
    } catch (IOException e) {
      return null;
    }
  }

  /**
   * Returns the problem with a socket to which the client could not connect. Connects once and
   * closes the connection, without waiting. Null if this attempt succeeds.
   */
  public static @Nullable ConnectProblem knock(Path path) {
    try (SocketChannel socket = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      return knock(socket, path);
    } catch (IOException | UnsupportedOperationException e) {
      return UnixSockets.unusable(e);
    }
  }

  private static @Nullable ConnectProblem knock(SocketChannel socket, Path path) {
    try {
      // A blocking connect would wait for as long as the listener's backlog is full.
      socket.configureBlocking(false);
      return socket.connect(UnixDomainSocketAddress.of(path)) ? null : crowded();
    } catch (BindException e) {
      // The JDK throws this exception for EACCES.
      return closedSocket(path);
    } catch (ConnectException e) {
      return new ConnectProblem(
          Reason.NOBODY_LISTENING,
          "the socket file exists, but no process listens on it",
          "Start the plugin; a plugin that was killed leaves its socket file behind.");
    } catch (IOException e) {
      return Files.exists(path) ? refused(e) : missing(path);
    }
  }

  private static ConnectProblem refused(IOException cause) {
    return new ConnectProblem(
        Reason.NO_ANSWER,
        "the socket cannot be connected: " + SafeText.escape(String.valueOf(cause.getMessage())),
        "Check that this is the socket of a CSI plugin.");
  }

  private static ConnectProblem crowded() {
    return new ConnectProblem(
        Reason.NO_ANSWER,
        "the plugin does not accept connections, and its backlog is full",
        "Look at the plugin's log; it may hang.");
  }

  private static ConnectProblem symlink(Path path) {
    String target;
    try {
      target = " to " + quote(Files.readSymbolicLink(path));
    } catch (IOException e) {
      target = "";
    }
    return new ConnectProblem(
        Reason.SYMLINK,
        "the path is a symbolic link"
            + target
            + ", and a user who can change it can redirect the connection",
        "Give the path of the socket itself, or allow symbolic links in the options.");
  }

  private static ConnectProblem notASocket(Path path, Inode file) {
    String kind =
        switch (file.kind()) {
          case 0100000 -> "a regular file";
          case 0040000 -> "a directory";
          case 0010000 -> "a named pipe";
          case 0020000, 0060000 -> "a device";
          default -> "something unknown";
        };
    return new ConnectProblem(
        Reason.NOT_A_SOCKET,
        "there is " + kind + " at " + quote(path) + ", not a socket",
        "Give the path of the plugin's socket itself.");
  }

  /**
   * Checks each directory and link on the path to the socket: a user who can change one of them can
   * replace the socket.
   */
  private static @Nullable ConnectProblem unsafeDirectory(Path path, ConnectOptions options)
      throws IOException {
    Path own = path.getParent();
    if (own != null && Inode.of(own, NO_FOLLOW).isLink() && !options.allowSymlink()) {
      return linkedDirectory(own);
    }
    Deque<Path> holders = new ArrayDeque<>();
    Deque<Path> ways = new ArrayDeque<>();
    Path socket = path;
    for (int links = 0; links <= MOST_LINKS; links++) {
      addParent(holders, socket);
      if (!Inode.of(socket, NO_FOLLOW).isLink()) {
        break;
      }
      socket = socket.resolveSibling(Files.readSymbolicLink(socket));
    }
    for (int looked = 0; looked <= MOST_LINKS && !(holders.isEmpty() && ways.isEmpty()); looked++) {
      boolean holdsSocket = !holders.isEmpty();
      Path way = holdsSocket ? holders.remove() : ways.remove();
      Inode found = Inode.of(way, NO_FOLLOW);
      ConnectProblem problem = unsafe(way, found, holdsSocket, options);
      if (problem != null) {
        return problem;
      }
      if (found.isLink()) {
        (holdsSocket ? holders : ways).add(way.resolveSibling(Files.readSymbolicLink(way)));
      }
      addParent(ways, way);
    }
    return null;
  }

  private static void addParent(Deque<Path> all, Path path) {
    Path parent = path.getParent();
    if (parent != null) {
      all.add(parent);
    }
  }

  private static @Nullable ConnectProblem unsafe(
      Path place, Inode found, boolean holdsSocket, ConnectOptions options) throws IOException {
    String who = null;
    String mend = "";
    // The sticky bit prevents other users from replacing an existing file, but not from creating a
    // missing file.
    if (!found.isLink() && (holdsSocket || !found.has(STICKY))) {
      if (found.has(OTHERS_WRITE)) {
        who = "every user may write to the directory ";
        mend = "Remove the permission (chmod o-w)";
      } else if (found.has(GROUP_WRITE)) {
        who = "group " + found.gid() + " may write to the directory ";
        mend = "Remove the permission (chmod g-w)";
      }
    }
    if (who == null && !isTrusted(found.uid(), options)) {
      who = "another user owns the " + (found.isLink() ? "symbolic link " : "directory ");
      mend =
          "Change the owner to root or to this process's user (chown), require its owner as the"
              + " listener (requirePeerUid)";
    }
    return who == null
        ? null
        : new ConnectProblem(
            Reason.UNSAFE_DIRECTORY,
            who + quote(place) + " (" + found + ") and could replace the socket",
            mend + ", or allow unsafe directories in the options.");
  }

  /**
   * Returns whether a user is trusted. Trusted are root, the user of this process, the required
   * user of the listener, and the owner of the root directory, who could replace every file. In a
   * user namespace, the uid of the root directory's owner may stand for all users outside the
   * namespace.
   */
  private static boolean isTrusted(int uid, ConnectOptions options) throws IOException {
    return uid == 0
        || options.requiredPeerUid().equals(OptionalInt.of(uid))
        || ourUid().equals(Integer.toString(uid))
        || uid == Inode.of(Path.of("/"), FOLLOW).uid();
  }

  private static ConnectProblem linkedDirectory(Path directory) {
    return new ConnectProblem(
        Reason.SYMLINK,
        "the directory of the socket, "
            + quote(directory)
            + ", is a symbolic link, and a user who can change it can redirect the connection",
        "Give the path without the link, or allow symbolic links in the options.");
  }

  private static ConnectProblem closedSocket(Path path) {
    return denied("this process may not write to the socket " + quote(path), path);
  }

  private static ConnectProblem closedDirectory(Path path) {
    Path closed = path.getRoot();
    for (Path each = path; each != null; each = each.getParent()) {
      closed = each;
      if (isReachable(each)) {
        break;
      }
    }
    return denied("this process may not search the directory " + quote(closed), closed);
  }

  private static ConnectProblem denied(String what, Path culprit) {
    String facts;
    try {
      facts = Inode.of(culprit, FOLLOW) + ", ";
    } catch (IOException e) {
      facts = "";
    }
    return new ConnectProblem(
        Reason.PERMISSION_DENIED,
        what + " (" + facts + "our uid is " + ourUid() + ")",
        "Change its owner or mode, or run this process as a user with access.");
  }

  private static ConnectProblem missing(Path path) {
    Path parent = path.getParent();
    Path existing = parent;
    while (existing != null && !Files.exists(existing)) {
      existing = existing.getParent();
    }
    String why;
    if (parent == null || !parent.equals(existing)) {
      why = "there is no directory " + quote(parent) + "; " + quote(existing) + " exists";
    } else if (!Files.isDirectory(parent)) {
      why = quote(parent) + " is not a directory";
    } else if (Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
      why = "the symbolic link " + quote(path) + " leads to nothing";
    } else {
      why =
          "there is no socket "
              + quote(path.getFileName())
              + " in the directory "
              + quote(parent)
              + ", which exists";
    }
    return new ConnectProblem(
        Reason.NO_SUCH_SOCKET, why, "Start the plugin, or correct the path of its socket.");
  }

  private static boolean isReachable(Path path) {
    try {
      return Inode.of(path, FOLLOW).mode() >= 0;
    } catch (IOException e) {
      return false;
    }
  }

  /** Returns the user that this process runs as; "unknown" if that cannot be determined. */
  private static String ourUid() {
    try {
      // The owner of /proc/self would be root for a process with file capabilities.
      for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
        if (line.startsWith("Uid:")) {
          return line.split("\\s+", -1)[2];
        }
      }
    } catch (IOException e) {
      // Only Linux has this file, and csi4j has no other source for the user.
    }
    return "unknown";
  }

  private static String quote(@Nullable Path path) {
    return SafeText.quote(String.valueOf(path));
  }

  /** The attributes of a file that the checks need. */
  private record Inode(int mode, int uid, int gid) {

    static Inode of(Path path, LinkOption... options) throws IOException {
      Map<String, Object> facts = Files.readAttributes(path, "unix:mode,uid,gid", options);
      if (facts.get("mode") instanceof Integer mode
          && facts.get("uid") instanceof Integer uid
          && facts.get("gid") instanceof Integer gid) {
        return new Inode(mode, uid, gid);
      }
      throw new NoSuchFileException(path.toString());
    }

    int kind() {
      return mode & KIND;
    }

    boolean isLink() {
      return kind() == SYMLINK;
    }

    boolean has(int bit) {
      return (mode & bit) != 0;
    }

    @Override
    public String toString() {
      return String.format("owner uid %d, gid %d, mode %04o", uid, gid, mode & 07777);
    }
  }
}
