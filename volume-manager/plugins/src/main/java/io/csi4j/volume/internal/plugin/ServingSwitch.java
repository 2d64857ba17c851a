package io.csi4j.volume.internal.plugin;

import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.plugin.RegisteredPlugin;
import java.util.Optional;

/** Sends calls for volumes of this node to the instance that serves a plugin. */
@FunctionalInterface
public interface ServingSwitch {

  /** Sends none. */
  ServingSwitch NONE = (plugin, serving) -> () -> {};

  /**
   * Another instance serves, or none, or it is in another state. Called in order and under a lock:
   * does no more than to remember it.
   *
   * @return what follows from it; run when the lock is free
   */
  Runnable serve(PluginId plugin, Optional<RegisteredPlugin> serving);
}
