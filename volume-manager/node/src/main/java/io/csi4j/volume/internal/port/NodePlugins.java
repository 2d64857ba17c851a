package io.csi4j.volume.internal.port;

import io.csi4j.volume.model.PluginId;
import java.util.Optional;
import java.util.Set;

/** The plugins that there are. */
public interface NodePlugins {

  /** The plugin with this name, if it is registered. */
  Optional<NodePlugin> find(PluginId id);

  /** The names of all that are registered. */
  Set<PluginId> known();
}
