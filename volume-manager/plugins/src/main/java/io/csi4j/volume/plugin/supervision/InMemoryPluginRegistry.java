package io.csi4j.volume.plugin.supervision;

import io.csi4j.volume.internal.link.PluginConnections;
import io.csi4j.volume.internal.plugin.LivePluginRegistry;
import io.csi4j.volume.internal.plugin.PluginMemory;
import io.csi4j.volume.internal.plugin.ServingSwitch;
import io.csi4j.volume.internal.time.OnDemandThreads;
import io.csi4j.volume.internal.time.SystemClock;
import io.csi4j.volume.plugin.PluginRegistry;

/**
 * A registry without a volume manager, which stores nothing on disk. Its threads exist only while
 * there is work.
 *
 * <pre>{@code
 * try (PluginRegistry.Closeable plugins = InMemoryPluginRegistry.open()) {
 *   plugins.register(PluginRegistration.controller(binding));
 *   log.accept(plugins.get(binding.id(), PluginRole.CONTROLLER));
 * }
 * }</pre>
 *
 * @since 1.0
 */
public final class InMemoryPluginRegistry {

  private InMemoryPluginRegistry() {}

  /** Returns an empty registry, which the caller must close. */
  public static PluginRegistry.Closeable open() {
    OnDemandThreads threads = new OnDemandThreads("csi4j-volume-plugin-events");
    return LivePluginRegistry.open(
        new LivePluginRegistry.Ground(new SystemClock(), threads, threads, new PluginConnections()),
        PluginMemory.NONE,
        ServingSwitch.NONE);
  }
}
