package io.csi4j.volume.internal.plugin;

import io.csi4j.client.model.PluginName;
import io.csi4j.volume.plugin.PluginFingerprint;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Asks one instance of a plugin for its health and its capabilities, one question at a time. No
 * question blocks the caller. Each question is answered exactly once, on any thread, at the latest
 * at its time limit.
 */
public interface Prober extends AutoCloseable {

  /**
   * Returns an identifier of the current socket file; empty if there is no socket. Does not call
   * the plugin.
   */
  String socket();

  /** Asks whether the plugin is ready, and connects to it if necessary. */
  void probe(Consumer<Pulse> then);

  /** Asks the plugin for its identity and capabilities. */
  void portray(Consumer<Portrait> then);

  /** Ends the questions. A running question may never be answered. */
  @Override
  void close();

  /**
   * The answer to a probe.
   *
   * @param trouble why the plugin is not ready; empty if it is ready
   * @param process the name of its process; empty if it is not known
   */
  record Pulse(Optional<PluginTrouble> trouble, String process) {}

  /**
   * The plugin's description of itself.
   *
   * @param whole the complete fingerprint, if no question failed
   * @param name the name of the plugin, if it returned one
   * @param trouble the failure, if a question failed
   * @param nonsense the invalid values that were skipped, each as a clause for people
   * @param process the name of the plugin's process at the end; empty if it is not known
   */
  record Portrait(
      Optional<PluginFingerprint> whole,
      Optional<PluginName> name,
      Optional<PluginTrouble> trouble,
      List<String> nonsense,
      String process) {

    /** Copies the list. */
    public Portrait {
      nonsense = List.copyOf(nonsense);
    }
  }
}
