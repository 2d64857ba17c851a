package io.csi4j.volume.upkeep;

import io.csi4j.volume.OperatorMessage.Part;
import io.csi4j.volume.PluginId;
import io.csi4j.volume.VolumeManager;
import io.csi4j.volume.VolumeStatus;
import io.csi4j.volume.plugin.RegisteredPlugin;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** The plugins that are registered with a manager. */
record ManagedPlugins(VolumeManager manager, Predicate<PluginId> needed)
    implements ReaperSources.Plugins {

  ManagedPlugins {
    Objects.requireNonNull(manager, "manager");
    Objects.requireNonNull(needed, "needed");
  }

  @Override
  public Map<PluginId, Part> unused() {
    Set<PluginId> used =
        manager.volumes().stream().map(VolumeStatus::plugin).collect(Collectors.toSet());
    Map<PluginId, Part> unused = new LinkedHashMap<>();
    for (RegisteredPlugin registered : manager.plugins().plugins()) {
      PluginId plugin = registered.registration().id();
      if (!used.contains(plugin) && !needed.test(plugin)) {
        unused.put(plugin, new Part("it has no volume here, and its host does not need it"));
      }
    }
    return unused;
  }

  @Override
  public boolean forget(PluginId plugin) {
    return manager.deregister(plugin);
  }
}
