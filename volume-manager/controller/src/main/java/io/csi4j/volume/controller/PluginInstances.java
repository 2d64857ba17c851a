package io.csi4j.volume.controller;

import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.plugin.PluginRegistry;
import io.csi4j.volume.plugin.RegisteredPlugin;
import java.util.List;
import java.util.function.Function;

/**
 * The instances of plugins that say whether a plugin has a controller: those of the registry, and
 * of a plugin that has none there, those elsewhere.
 *
 * @param registry the registry, whose controllers are called
 * @param elsewhere returns the instances of a plugin that are known elsewhere
 */
record PluginInstances(
    PluginRegistry registry, Function<PluginId, List<RegisteredPlugin>> elsewhere) {

  /** The instances of a registry alone. */
  static PluginInstances of(PluginRegistry registry) {
    return new PluginInstances(registry, plugin -> List.of());
  }

  /** False only if instances are there, none is a controller, and none says that there is one. */
  boolean mayHaveController(PluginId plugin) {
    return Preference.mayHaveController(plugin, known(plugin));
  }

  /** False only if there is no controller, or those that said what they can do attach nothing. */
  boolean mayAttach(PluginId plugin) {
    return Preference.mayAttach(plugin, known(plugin));
  }

  private List<RegisteredPlugin> known(PluginId plugin) {
    List<RegisteredPlugin> here = registry.plugins();
    return here.stream().anyMatch(each -> each.registration().id().equals(plugin))
        ? here
        : elsewhere.apply(plugin);
  }
}
