package io.csi4j.volume.internal.manager;

import io.csi4j.volume.internal.plugin.LivePluginRegistry;
import io.csi4j.volume.internal.plugin.PluginMemory;
import io.csi4j.volume.internal.plugin.ServingSwitch;
import io.csi4j.volume.internal.real.IdleScheduler;
import io.csi4j.volume.internal.real.OnDemandThreads;
import io.csi4j.volume.internal.real.SystemClock;
import io.csi4j.volume.plugin.PluginRegistry;

/** A registry that belongs to no manager. Its threads are there only while there is work. */
public final class StandAloneRegistry {

  private StandAloneRegistry() {}

  /** An empty one. */
  public static PluginRegistry open() {
    return LivePluginRegistry.open(
        new LivePluginRegistry.Ground(
            new SystemClock(),
            new IdleScheduler("csi4j-volume-plugin-limits"),
            new OnDemandThreads("csi4j-volume-plugin-events")),
        PluginMemory.NONE,
        ServingSwitch.NONE);
  }
}
