package io.csi4j.volume.internal.real;

import io.csi4j.client.CsiPlugin;

/** The process that is one plugin, as it was last seen. */
final class CurrentProcess {

  private final PluginProcesses processes;
  private volatile String word = "";

  CurrentProcess(PluginProcesses processes) {
    this.processes = processes;
  }

  /** Its word; empty when it is not known. */
  String word() {
    return word;
  }

  /** Its word, after another look. */
  String look(CsiPlugin plugin) {
    String seen = processes.word(plugin);
    word = seen;
    return seen;
  }
}
