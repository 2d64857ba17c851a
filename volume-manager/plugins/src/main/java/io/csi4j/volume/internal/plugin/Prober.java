package io.csi4j.volume.internal.plugin;

import io.csi4j.client.model.PluginName;
import io.csi4j.volume.plugin.PluginFingerprint;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Asks one instance of a plugin for its health and its capabilities, one question at a time. No
 * question blocks, and each is answered exactly once, on any thread, at the latest at its time
 * limit.
 */
public interface Prober extends AutoCloseable {

  /** Returns an identifier of the present socket; empty if there is none. Calls no plugin. */
  String socket();

  /** Asks whether the plugin is ready, and connects to it if necessary. */
  void probe(Consumer<Pulse> then);

  /** Asks for its identity and capabilities. */
  void portray(Consumer<Portrait> then);

  /** Asks nothing more; a running question may stay without an answer. */
  @Override
  void close();

  /**
   * Whether the plugin is ready.
   *
   * @param trouble why it is not; empty if it is
   * @param process the name of its process; empty if it is not known
   */
  record Pulse(Optional<PluginTrouble> trouble, String process) {}

  /**
   * The plugin as it described itself.
   *
   * @param whole the complete fingerprint, if no question failed
   * @param name its name, if it returned one
   * @param trouble the failure, if a question failed
   * @param nonsense its invalid values, which were skipped, each as a clause for people
   * @param process the name of its process at the end; empty if it is not known
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
