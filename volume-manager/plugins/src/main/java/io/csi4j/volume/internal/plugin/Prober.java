package io.csi4j.volume.internal.plugin;

import io.csi4j.client.model.PluginName;
import io.csi4j.volume.plugin.PluginFingerprint;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Asks one instance of a plugin how it is. Is asked one thing at a time; no question blocks, and
 * each is answered exactly once, on any thread, when its time is over at the latest.
 */
public interface Prober extends AutoCloseable {

  /** Returns a word for the socket that is there now; empty if there is none. Asks no plugin. */
  String socket();

  /** Asks whether it is ready, connecting to it if need be. */
  void probe(Consumer<Pulse> then);

  /** Asks what it is and can do. */
  void portray(Consumer<Portrait> then);

  /** Asks nothing more; what is being asked may stay without an answer. */
  @Override
  void close();

  /**
   * Whether it is ready.
   *
   * @param trouble why not; nothing if it is
   * @param process the process that it is, as a word; empty when it is not known
   */
  record Pulse(Optional<PluginTrouble> trouble, String process) {}

  /**
   * The plugin as it described itself.
   *
   * @param whole all of it, if no question failed
   * @param name its name, if that was told
   * @param trouble what failed, if something did
   * @param nonsense what it said that cannot be and was passed over, each as a clause for people
   * @param process the process that it was in the end, as a word; empty when it is not known
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
