package io.csi4j.volume.internal.probe;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.model.PeerCredentials;

/** The process that is one plugin, as it was last seen. */
public final class CurrentProcess {

  private final PluginProcesses processes;
  private volatile Seen seen = new Seen("", PeerCredentials.unknown());

  /**
   * A process.
   *
   * @param word its word; empty when it is not known
   * @param peer what the kernel said of it, once for each connection
   */
  private record Seen(String word, PeerCredentials peer) {}

  public CurrentProcess(PluginProcesses processes) {
    this.processes = processes;
  }

  /** Its word; empty when it is not known. */
  public String word() {
    return seen.word();
  }

  /** Its word, after another look. */
  public String look(CsiPlugin plugin) {
    PeerCredentials peer = plugin.peer();
    String word = processes.word(plugin);
    seen = new Seen(word, peer);
    return word;
  }

  /**
   * Its word after it has answered: without another look if it is known who is at the other end of
   * this connection.
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

  /** Whether a look does nothing that may block. */
  public static boolean isQuick(CsiPlugin plugin) {
    return plugin.peer().pid().orElse(0) > 0;
  }
}
