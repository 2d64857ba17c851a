package io.csi4j.volume.internal.probe;

import io.csi4j.volume.internal.disk.Disk;
import io.csi4j.volume.internal.plugin.Prober;
import io.csi4j.volume.internal.time.Clock;
import io.csi4j.volume.internal.time.NamedThreads;
import io.csi4j.volume.plugin.PluginConfig;
import java.util.concurrent.ThreadFactory;

/** Makes those who ask plugins behind sockets. */
public final class CsiProbers {

  private final PluginProcesses processes;
  private final Clock clock;
  private final ThreadFactory threads = new NamedThreads("csi4j-volume-supervisor");

  /**
   * On this machine.
   *
   * @param disk where sockets and processes are looked at
   * @param boot which boot it is
   */
  public CsiProbers(Disk disk, String boot, Clock clock) {
    this.processes = new PluginProcesses(disk, boot);
    this.clock = clock;
  }

  /** One who asks this plugin; nothing is begun. */
  public Prober prober(PluginConfig config) {
    return new CsiProber(config, processes, clock, threads);
  }
}
