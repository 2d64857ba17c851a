package io.csi4j.volume.internal.plugin;

import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.plugin.RegisteredPlugin;
import java.util.Optional;

/** Directs calls for volumes of this node to the instance that serves a plugin. */
@FunctionalInterface
public interface ServingSwitch {

  /** Directs no calls. */
  ServingSwitch NONE = (plugin, serving) -> () -> {};

  /**
   * Called when another instance serves, or none, or its state has changed. Called in order and
   * under a lock, so an implementation only remembers it.
   *
   * @return the consequence, which runs after the lock is released
   */
  Runnable serve(PluginId plugin, Optional<RegisteredPlugin> serving);
}
