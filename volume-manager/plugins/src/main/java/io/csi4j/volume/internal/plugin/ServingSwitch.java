package io.csi4j.volume.internal.plugin;

import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.plugin.RegisteredPlugin;
import java.util.Optional;

/** Directs calls for volumes of this node to the instance that serves a plugin. */
@FunctionalInterface
public interface ServingSwitch {

  /** A switch that directs no calls. */
  ServingSwitch NONE = (plugin, serving) -> () -> {};

  /**
   * Reports that another instance or no instance serves a plugin, or that the state of the serving
   * instance has changed. Called in order and under a lock, so an implementation only records the
   * change.
   *
   * @return an action for further work, which runs after the lock is released
   */
  Runnable serve(PluginId plugin, Optional<RegisteredPlugin> serving);
}
