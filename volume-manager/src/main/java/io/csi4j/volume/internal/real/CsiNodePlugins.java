package io.csi4j.volume.internal.real;

import io.csi4j.mount.MountPath;
import io.csi4j.volume.PathView;
import io.csi4j.volume.PluginBinding;
import io.csi4j.volume.PluginId;
import io.csi4j.volume.internal.disk.Disk;
import io.csi4j.volume.internal.port.Clock;
import io.csi4j.volume.internal.port.NodePlugin;
import io.csi4j.volume.internal.port.NodePlugins;
import io.csi4j.volume.internal.port.Scheduler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;

/** The plugins that were registered, each behind its socket. Safe for many threads. */
public final class CsiNodePlugins implements NodePlugins, AutoCloseable {

  private static final Duration CLOSING = Duration.ofSeconds(5);

  private final MountPath root;
  private final CsiNodePlugin.Ground ground;
  private final ConcurrentMap<PluginId, CsiNodePlugin> plugins = new ConcurrentHashMap<>();
  private volatile boolean closed;

  /**
   * No plugin yet.
   *
   * @param root the directory of the manager on this host
   * @param scheduler where calls are prepared
   * @param disk where the processes behind sockets are looked at
   * @param boot which boot it is
   */
  public CsiNodePlugins(MountPath root, Scheduler scheduler, Clock clock, Disk disk, String boot) {
    this.root = root;
    this.ground =
        new CsiNodePlugin.Ground(
            scheduler,
            clock,
            new PluginProcesses(disk, boot),
            new NamedThreads("csi4j-volume-plugin"));
  }

  /**
   * Registers a plugin without calling it, or puts another binding in the place of the one that it
   * has: calls that were sent under the old one go on, those that wait are answered as not sent.
   *
   * @return what will make trouble
   * @throws IllegalStateException after closing
   */
  public List<PluginFinding> register(PluginBinding binding) {
    PathView view =
        binding.seesRootAt().map(path -> new PathView(root, path)).orElse(PathView.same(root));
    List<PluginFinding> findings = PluginFinding.of(binding, view);
    CsiNodePlugin old = plugins.put(binding.id(), new CsiNodePlugin(binding, view, ground));
    if (old != null) {
      old.retire("the plugin was registered anew");
    }
    if (closed) {
      close();
      throw new IllegalStateException(
          "The plugin '" + binding.id() + "' was not registered: the volume manager is closed.");
    }
    return findings;
  }

  /** Forgets a plugin; calls that were sent go on. False if there was none of that name. */
  public boolean deregister(PluginId id) {
    CsiNodePlugin old = plugins.remove(id);
    if (old != null) {
      old.retire("the plugin is not registered any more");
    }
    return old != null;
  }

  @Override
  public Optional<NodePlugin> find(PluginId id) {
    return Optional.ofNullable(plugins.get(id));
  }

  @Override
  public Set<PluginId> known() {
    return new TreeSet<>(plugins.keySet());
  }

  /** Answers every call that is open, and ends all connections, within some seconds. */
  @Override
  public void close() {
    closed = true;
    List<Thread> closers = new ArrayList<>();
    for (CsiNodePlugin plugin : plugins.values()) {
      ground.aside(() -> plugin.close("the volume manager is closed")).ifPresent(closers::add);
    }
    long end = System.nanoTime() + CLOSING.toNanos();
    try {
      for (Thread closer : closers) {
        TimeUnit.NANOSECONDS.timedJoin(closer, Math.max(1, end - System.nanoTime()));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
