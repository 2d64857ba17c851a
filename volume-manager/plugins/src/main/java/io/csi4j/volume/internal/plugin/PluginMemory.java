package io.csi4j.volume.internal.plugin;

import io.csi4j.volume.model.PluginId;
import java.time.Instant;
import java.util.List;
import java.util.function.Supplier;

/** Stores the instances of a registry. */
public interface PluginMemory {

  /** A memory that stores nothing. */
  PluginMemory NONE =
      new PluginMemory() {
        @Override
        public Roster load(Instant now) {
          return Roster.EMPTY;
        }

        @Override
        public void save(PluginId plugin, Supplier<List<Member>> instances) {}
      };

  /** Returns the instances of an earlier run. */
  Roster load(Instant now);

  /**
   * Stores the instances of a plugin. Calls the supplier as often as necessary, so that the last
   * write contains the current instances.
   */
  void save(PluginId plugin, Supplier<List<Member>> instances);
}
