package io.csi4j.volume.plugin;

/**
 * A listener who is told what happens to plugins. Events come in order, none is lost, one at a time
 * and under no lock; a listener that throws does no harm.
 */
@FunctionalInterface
public interface PluginListener {

  /** Told of one event. */
  void on(PluginEvent event);
}
