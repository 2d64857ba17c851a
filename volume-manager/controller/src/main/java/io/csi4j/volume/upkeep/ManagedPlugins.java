package io.csi4j.volume.upkeep;

import io.csi4j.volume.model.OperatorMessage.Part;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.plugin.PluginRegistry;
import io.csi4j.volume.plugin.RegisteredPlugin;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;

/** The plugins in a registry. */
record ManagedPlugins(
    PluginRegistry registry, Predicate<PluginId> needed, Predicate<PluginId> forgotten)
    implements ReaperSources.Plugins {

  ManagedPlugins {
    Objects.requireNonNull(registry, "registry");
    Objects.requireNonNull(needed, "needed");
    Objects.requireNonNull(forgotten, "forgotten");
  }

  @Override
  public Map<PluginId, Part> unused() {
    Map<PluginId, Part> unused = new LinkedHashMap<>();
    for (RegisteredPlugin registered : registry.plugins()) {
      PluginId plugin = registered.registration().id();
      if (!needed.test(plugin)) {
        unused.put(plugin, new Part("it has no volume here, and its host does not need it"));
      }
    }
    return unused;
  }

  @Override
  public boolean forget(PluginId plugin) {
    return forgotten.test(plugin);
  }
}
