package io.csi4j.volume.internal.probe;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.model.ConnectOptions.Transport;
import io.csi4j.client.model.PeerCredentials;
import io.csi4j.volume.internal.disk.Disk;
import io.csi4j.volume.internal.disk.DiskException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;

/**
 * Determines a name for the process that listens on a socket. Each process has a different name.
 *
 * <p>If the kernel reports the process, the name consists of the process id and the start time, so
 * a process that recreates its socket keeps its name. Otherwise the name is derived from the
 * socket, which identifies the process that created it.
 */
public final class PluginProcesses {

  private static final int STAT_LIMIT = 4096;

  /**
   * Number of fields between the closing bracket, which ends the second field of the file, and the
   * start time, which is the 22nd field.
   */
  private static final int START = 22 - 3;

  private static final List<String> ENDED = List.of("Z", "X", "x");

  private final Disk disk;
  private final String boot;

  /**
   * Creates names that are valid for one boot of the machine.
   *
   * @param boot the boot
   */
  public PluginProcesses(Disk disk, String boot) {
    this.disk = disk;
    this.boot = boot.length() <= 8 ? boot : boot.substring(0, 8);
  }

  /** Returns an object for the process of one plugin. The process is not known yet. */
  public Current current() {
    return new Current();
  }

  /**
   * Returns the name of the process that was listening when the plugin was last connected; empty if
   * it has ended, or cannot be identified.
   */
  String word(CsiPlugin plugin) {
    OptionalInt pid = plugin.peer().pid();
    if (pid.isPresent() && pid.getAsInt() > 0) {
      return process(pid.getAsInt());
    }
    // The kernel reports process id 0 for a process outside this PID namespace. If the kernel
    // reports process ids, but there is none, a connection is just being made.
    return pid.isPresent() || plugin.transport() == Transport.JDK
        ? socket(plugin.endpoint().path())
        : "";
  }

  /** Returns whether the process with this name certainly still exists. */
  public boolean isRunning(String word) {
    String[] parts = word.split("/", -1);
    if (parts.length != 3 || !parts[0].equals(boot)) {
      return false;
    }
    try {
      return process(Integer.parseInt(parts[1])).equals(word);
    } catch (NumberFormatException e) {
      return false;
    }
  }

  /**
   * Returns the name of a process. The process id alone is not unique, so the name includes the
   * start time in ticks since the boot.
   */
  private String process(int pid) {
    try {
      byte[] stat = disk.read(Path.of("/proc/" + pid + "/stat"), STAT_LIMIT);
      String text = new String(stat, StandardCharsets.ISO_8859_1);
      int at = text.lastIndexOf(')') + 2;
      if (ENDED.contains(text.substring(at, at + 1))) {
        return "";
      }
      for (int field = 0; field < START; field++) {
        at = text.indexOf(' ', at) + 1;
      }
      return boot + "/" + pid + "/" + text.substring(at, text.indexOf(' ', at));
    } catch (DiskException | RuntimeException e) {
      return "";
    }
  }

  /** Returns the name for the socket at a path; empty if there is none. */
  String socket(Path path) {
    try {
      return disk.facts(path)
          .map(facts -> boot + "/socket-" + facts.identity() + "-" + facts.modified())
          .orElse("");
    } catch (DiskException | RuntimeException e) {
      return "";
    }
  }

  /** Returns whether identifying the process cannot block. */
  public static boolean isQuick(CsiPlugin plugin) {
    return plugin.peer().pid().orElse(0) > 0;
  }

  /** The process of one plugin, as last seen. */
  public final class Current {

    private volatile Seen seen = new Seen("", PeerCredentials.unknown());

    /**
     * A process.
     *
     * @param word the name of the process; empty if it is not known
     * @param peer the kernel's report of the process, read once for each connection
     */
    private record Seen(String word, PeerCredentials peer) {}

    /** Returns the name of the process; empty if it is not known. */
    public String word() {
      return seen.word();
    }

    /** Identifies the process again, and returns its name. */
    public String look(CsiPlugin plugin) {
      PeerCredentials peer = plugin.peer();
      String word = PluginProcesses.this.word(plugin);
      seen = new Seen(word, peer);
      return word;
    }

    /**
     * Returns the name of the process after it has answered a call. Identifies the process again
     * only if the peer of this connection is not known.
     */
    String answered(CsiPlugin plugin) {
      return isAtOtherEnd(plugin) ? word() : look(plugin);
    }

    /**
     * Returns its name before a call. If the kernel reports the peer of each connection, a process
     * is identified once for each connection.
     */
    public String called(CsiPlugin plugin) {
      return isQuick(plugin) && isAtOtherEnd(plugin) ? word() : look(plugin);
    }

    /** Returns whether the connection is the one on which the known process was seen. */
    @SuppressWarnings("ReferenceEquality") // if nothing is known about the peers, all are equal
    public boolean isAtOtherEnd(CsiPlugin plugin) {
      Seen last = seen;
      return !last.word().isEmpty() && last.peer() == plugin.peer();
    }
  }
}
