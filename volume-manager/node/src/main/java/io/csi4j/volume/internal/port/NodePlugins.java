package io.csi4j.volume.internal.port;

import io.csi4j.volume.model.PluginId;
import java.util.Optional;
import java.util.Set;

/** The engine's interface to the registered plugins. */
public interface NodePlugins {

  /** Returns the plugin with this name, if it is registered. */
  Optional<NodePlugin> find(PluginId id);

  /** Returns the names of all registered plugins. */
  Set<PluginId> known();
}
