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
 * Gives a word to the process behind a socket, another one to each process.
 *
 * <p>Where the kernel tells the process, the word is made of its number and the moment of its
 * start: one process that replaces its socket is the same as before. Elsewhere the socket stands
 * for the process that made it.
 */
public final class PluginProcesses {

  private static final int STAT_LIMIT = 4096;

  /** The start is the 22nd field of the file; the first two end with the bracket. */
  private static final int START = 22 - 3;

  private static final List<String> ENDED = List.of("Z", "X", "x");

  private final Disk disk;
  private final String boot;

  /**
   * Gives words that are good for one boot.
   *
   * @param boot which
   */
  public PluginProcesses(Disk disk, String boot) {
    this.disk = disk;
    this.boot = boot.length() <= 8 ? boot : boot.substring(0, 8);
  }

  /** Returns the process of one plugin; it is not known yet. */
  public Current current() {
    return new Current();
  }

  /**
   * Returns the word for the process that listened when the plugin was connected last; empty if it
   * is gone, or cannot be found out.
   */
  String word(CsiPlugin plugin) {
    OptionalInt pid = plugin.peer().pid();
    if (pid.isPresent() && pid.getAsInt() > 0) {
      return process(pid.getAsInt());
    }
    // Number 0 is a process whose number has no meaning here. None at all, where the kernel tells
    // it, means that a connection is just being made.
    return pid.isPresent() || plugin.transport() == Transport.JDK
        ? socket(plugin.endpoint().path())
        : "";
  }

  /** Whether the process with this word is certainly still there. */
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

  /** The start goes with the number, in ticks since the boot: a number may be given twice. */
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

  /** The word for the socket at a path; empty if there is none. */
  String socket(Path path) {
    try {
      return disk.facts(path)
          .map(facts -> boot + "/socket-" + facts.identity() + "-" + facts.modified())
          .orElse("");
    } catch (DiskException | RuntimeException e) {
      return "";
    }
  }

  /** Whether a look does nothing that may block. */
  public static boolean isQuick(CsiPlugin plugin) {
    return plugin.peer().pid().orElse(0) > 0;
  }

  /** The process that is one plugin, as it was last seen. */
  public final class Current {

    private volatile Seen seen = new Seen("", PeerCredentials.unknown());

    /**
     * A process.
     *
     * @param word its word; empty when it is not known
     * @param peer what the kernel said of it, once for each connection
     */
    private record Seen(String word, PeerCredentials peer) {}

    /** Its word; empty when it is not known. */
    public String word() {
      return seen.word();
    }

    /** Its word, after another look. */
    public String look(CsiPlugin plugin) {
      PeerCredentials peer = plugin.peer();
      String word = PluginProcesses.this.word(plugin);
      seen = new Seen(word, peer);
      return word;
    }

    /**
     * Its word after it has answered: without another look if it is known who is at the other end
     * of this connection.
     */
    String answered(CsiPlugin plugin) {
      return isAtOtherEnd(plugin) ? word() : look(plugin);
    }

    /** Whether the connection is the one on which the process was seen that is known. */
    @SuppressWarnings("ReferenceEquality") // where nothing is known of them, all are equal
    public boolean isAtOtherEnd(CsiPlugin plugin) {
      Seen last = seen;
      return !last.word().isEmpty() && last.peer() == plugin.peer();
    }
  }
}
