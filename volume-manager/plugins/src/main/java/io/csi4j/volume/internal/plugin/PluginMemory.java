package io.csi4j.volume.internal.plugin;

import io.csi4j.volume.model.PluginId;
import java.time.Instant;
import java.util.List;
import java.util.function.Supplier;

/** Where a registry remembers the instances that it knows. */
public interface PluginMemory {

  /** Remembers nothing. */
  PluginMemory NONE =
      new PluginMemory() {
        @Override
        public Roster load(Instant now) {
          return Roster.EMPTY;
        }

        @Override
        public void save(PluginId plugin, Supplier<List<Member>> instances) {}
      };

  /** Those that an earlier run knew. */
  Roster load(Instant now);

  /**
   * Remembers the instances of a plugin; asked for them as often as need be, so that what is
   * written last is what is so.
   */
  void save(PluginId plugin, Supplier<List<Member>> instances);
}
