package io.csi4j.volume.controller;

import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.plugin.PluginRegistry;
import io.csi4j.volume.plugin.RegisteredPlugin;
import java.util.List;
import java.util.function.Function;

/**
 * The instances of plugins that show whether a plugin has a controller: those of the registry and,
 * for a plugin that has none there, those known elsewhere.
 *
 * @param registry the registry, whose controllers are called
 * @param elsewhere returns the instances of a plugin that are known elsewhere
 */
record PluginInstances(
    PluginRegistry registry, Function<PluginId, List<RegisteredPlugin>> elsewhere) {

  /** Uses the instances of a registry only. */
  static PluginInstances of(PluginRegistry registry) {
    return new PluginInstances(registry, plugin -> List.of());
  }

  /**
   * False only if instances exist, none is a controller, and none reports that the plugin has one.
   */
  boolean mayHaveController(PluginId plugin) {
    return Preference.mayHaveController(plugin, known(plugin));
  }

  /**
   * False only if there is no controller, or if the controllers that reported their capabilities do
   * not attach volumes.
   */
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
