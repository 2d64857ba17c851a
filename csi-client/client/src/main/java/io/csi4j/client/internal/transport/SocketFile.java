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
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The file of a socket: what it is, who may use it, who might replace it. */
public final class SocketFile {

  private static final int KIND = 0170000;
  private static final int SOCKET = 0140000;
  private static final int SYMLINK = 0120000;
  private static final int STICKY = 01000;
  private static final int OTHERS_WRITE = 02;

  private static final LinkOption[] FOLLOW = {};
  private static final LinkOption[] NO_FOLLOW = {LinkOption.NOFOLLOW_LINKS};

  private SocketFile() {}

  /**
   * Returns the trouble with the path, as far as that shows without connecting; null if there is
   * none.
   */
  public static @Nullable ConnectProblem inspect(Path path, ConnectOptions options) {
    try {
      Inode file = Inode.of(path, NO_FOLLOW);
      if (file.kind() == SYMLINK) {
        if (!options.allowSymlink()) {
          return symlink(path);
        }
        file = Inode.of(path, FOLLOW);
      }
      if (file.kind() != SOCKET) {
        return notASocket(path, file);
      }
      return options.allowUnsafeDirectory() ? null : unsafeDirectory(path);
    } catch (AccessDeniedException e) {
      return closedDirectory(path);
    } catch (IOException e) {
      return missing(path);
    }
  }

  /** Returns what tells the socket from a new one at the same path; null if there is none. */
  static @Nullable Object identity(Path path) {
    try {
      Map<String, Object> facts = Files.readAttributes(path, "unix:dev,ino,ctime", FOLLOW);
      return List.copyOf(new TreeMap<>(facts).values());
    } catch (IOException e) {
      return null;
    }
  }

  /**
   * Returns the trouble with a socket that could not be connected to. Makes one connection and
   * closes it; never waits. Null if that connection came about.
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
      // A blocking connect would wait for as long as the listener's queue is full.
      socket.configureBlocking(false);
      return socket.connect(UnixDomainSocketAddress.of(path)) ? null : crowded();
    } catch (BindException e) {
      // How the JDK reports EACCES.
      return closedSocket(path);
    } catch (ConnectException e) {
      return new ConnectProblem(
          Reason.NOBODY_LISTENING,
          "the socket file is there, but no process listens on it",
          "Start the plugin; a plugin that was killed leaves its socket file behind.");
    } catch (IOException e) {
      return Files.exists(path) ? refused(e) : missing(path);
    }
  }

  private static ConnectProblem refused(IOException cause) {
    return new ConnectProblem(
        Reason.NO_ANSWER,
        "the socket cannot be connected: " + SafeText.escape(String.valueOf(cause.getMessage())),
        "Check that this is the socket of a CSI plugin, and not of something else.");
  }

  private static ConnectProblem crowded() {
    return new ConnectProblem(
        Reason.NO_ANSWER,
        "the plugin does not accept connections, and its queue of them is full",
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
        "the path is a symbolic link" + target + ", and whoever may change it picks the plugin",
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

  /** Looks at the path as it is written and as it resolves: either could be redirected. */
  private static @Nullable ConnectProblem unsafeDirectory(Path path) throws IOException {
    for (Path socket : List.of(path, path.toRealPath())) {
      Path own = socket.getParent();
      for (Path each = own; each != null; each = each.getParent()) {
        Inode found = Inode.of(each, FOLLOW);
        // Under the sticky bit others cannot replace what is there, but they can be there first.
        if (found.has(OTHERS_WRITE) && (each.equals(own) || !found.has(STICKY))) {
          return unsafe(each, found);
        }
      }
    }
    return null;
  }

  private static ConnectProblem unsafe(Path directory, Inode found) {
    return new ConnectProblem(
        Reason.UNSAFE_DIRECTORY,
        "everybody may write to the directory "
            + quote(directory)
            + " ("
            + found
            + ") and could put another socket in place of this one",
        "Take the permission away (chmod o-w), or allow unsafe directories in the options.");
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
        "Change its owner or mode, or run this process as a user that may.");
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

  /** The user that this process acts as; "unknown" where that cannot be told. */
  private static String ourUid() {
    try {
      // The owner of /proc/self would be root for a process with file capabilities.
      for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
        if (line.startsWith("Uid:")) {
          return line.split("\\s+", -1)[2];
        }
      }
    } catch (IOException e) {
      // Not Linux: nothing else tells it.
    }
    return "unknown";
  }

  private static String quote(@Nullable Path path) {
    return SafeText.quote(String.valueOf(path));
  }

  /** The facts of one file. */
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

    boolean has(int bit) {
      return (mode & bit) != 0;
    }

    @Override
    public String toString() {
      return String.format("owner uid %d, gid %d, mode %04o", uid, gid, mode & 07777);
    }
  }
}
