package io.csi4j.volume.internal.real;

import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.internal.disk.Disk;
import io.csi4j.volume.internal.link.PluginAnswer;
import io.csi4j.volume.internal.link.PluginConnections;
import io.csi4j.volume.internal.link.SecretQuestions;
import io.csi4j.volume.internal.path.PathView;
import io.csi4j.volume.internal.plugin.ServingSwitch;
import io.csi4j.volume.internal.port.NodePlugin;
import io.csi4j.volume.internal.port.NodePlugins;
import io.csi4j.volume.internal.probe.PluginProcesses;
import io.csi4j.volume.internal.time.Clock;
import io.csi4j.volume.internal.time.Scheduler;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.plugin.PluginHealth.State;
import io.csi4j.volume.plugin.PluginRegistration;
import io.csi4j.volume.plugin.RegisteredPlugin;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;

/** The registered plugins, each with its own connection. Safe for use by many threads. */
public final class CsiNodePlugins implements NodePlugins, ServingSwitch, AutoCloseable {

  private static final Duration CLOSING = Duration.ofSeconds(5);

  private final MountPath root;
  private final CsiNodePlugin.Ground ground;
  private final ConcurrentMap<PluginId, Bound> plugins = new ConcurrentHashMap<>();
  private volatile boolean closed;

  /**
   * The plugin object that receives the calls for a plugin name.
   *
   * @param plugin the plugin
   * @param registration the registration of the plugin; empty if it was bound without a registry
   */
  private record Bound(CsiNodePlugin plugin, Optional<PluginRegistration> registration) {

    /**
     * Returns whether this object serves a registration. A repeated registration of an instance
     * needs a new object, because its connection is made again.
     */
    @SuppressWarnings("ReferenceEquality")
    boolean serves(PluginRegistration other) {
      return registration.orElse(null) == other;
    }
  }

  /**
   * Creates an empty set of plugins.
   *
   * @param root the directory of the manager on this host
   * @param scheduler runs the preparation of calls
   * @param disk reads the processes behind sockets
   * @param boot the boot of the machine
   * @param secretsLimit the time limit for the host to provide secrets
   */
  public CsiNodePlugins(
      MountPath root,
      Scheduler scheduler,
      Clock clock,
      Disk disk,
      String boot,
      Duration secretsLimit) {
    this.root = root;
    this.ground =
        new CsiNodePlugin.Ground(
            scheduler,
            clock,
            new PluginProcesses(disk, boot),
            new PluginConnections(),
            new SecretQuestions(scheduler, secretsLimit));
  }

  /** Returns the connections to plugins, so that the plugin registry can share them. */
  PluginConnections connections() {
    return ground.connections();
  }

  /**
   * Registers a plugin without calling it, or replaces its binding. Calls that were sent with the
   * old binding continue; waiting calls end as not sent.
   *
   * @return warnings about the binding
   * @throws IllegalStateException if this object was closed
   */
  public List<PluginFinding> register(PluginBinding binding) {
    bind(binding, Optional.empty()).run();
    if (closed) {
      close();
      throw new IllegalStateException(
          "The plugin '" + binding.id() + "' was not registered: the volume manager is closed.");
    }
    return findings(binding);
  }

  /** Returns warnings about a binding without registering it. */
  public List<PluginFinding> findings(PluginBinding binding) {
    return PluginFinding.of(binding, view(binding));
  }

  /**
   * Removes a plugin. Calls that were sent continue. Returns false if no plugin with this name was
   * registered.
   */
  public boolean deregister(PluginId id) {
    Optional<Bound> old = Optional.ofNullable(plugins.remove(id));
    old.ifPresent(CsiNodePlugins::forget);
    return old.isPresent();
  }

  private static void forget(Bound old) {
    old.plugin().retire("the plugin is no longer registered", null);
  }

  /**
   * Sends further calls to the serving instance, and allows or refuses mounts with it.
   *
   * @return an action that retires the replaced plugin object
   */
  @Override
  public Runnable serve(PluginId id, Optional<RegisteredPlugin> serving) {
    if (serving.isEmpty()) {
      // The action may run after the next instance was bound. It must not retire that instance.
      Optional<Bound> old = Optional.ofNullable(plugins.remove(id));
      return () -> old.ifPresent(CsiNodePlugins::forget);
    }
    RegisteredPlugin known = serving.get();
    Bound now = plugins.get(id);
    if (now == null || !now.serves(known.registration())) {
      Runnable ending = bind(known.registration().binding(), serving);
      return closed ? this::close : ending;
    }
    now.plugin().bar(bar(known).orElse(null));
    return () -> {};
  }

  private Runnable bind(PluginBinding binding, Optional<RegisteredPlugin> known) {
    CsiNodePlugin plugin = new CsiNodePlugin(binding, view(binding), ground);
    known.flatMap(CsiNodePlugins::bar).ifPresent(plugin::bar);
    Bound old =
        plugins.put(binding.id(), new Bound(plugin, known.map(RegisteredPlugin::registration)));
    return old == null
        ? () -> {}
        : () -> old.plugin().retire("the plugin was registered again", plugin);
  }

  /**
   * Returns why no new operation may start with an instance; empty if operations may start. An
   * unhealthy instance gets no calls at all, while an instance from an earlier run still gets
   * releases.
   */
  private static Optional<PluginAnswer.Down> bar(RegisteredPlugin known) {
    if (known.remembered()) {
      return Optional.of(
          new PluginAnswer.Down(
              "it is known from an earlier run, but was not registered with the role NODE since"
                  + " this start",
              OperatorCode.PLUGIN_NOT_REGISTERED));
    }
    if (known.health().state() != State.UNHEALTHY) {
      return Optional.empty();
    }
    return Optional.of(
        new PluginAnswer.Down(
            "it is unhealthy since " + known.health().since() + ": " + known.health().text(),
            OperatorCode.PLUGIN_UNHEALTHY));
  }

  private PathView view(PluginBinding binding) {
    return binding.seesRootAt().map(path -> new PathView(root, path)).orElse(PathView.same(root));
  }

  @Override
  public Optional<NodePlugin> find(PluginId id) {
    Bound bound = plugins.get(id);
    return bound == null ? Optional.empty() : Optional.of(bound.plugin());
  }

  @Override
  public Set<PluginId> known() {
    return new TreeSet<>(plugins.keySet());
  }

  /** Ends every open call and closes all connections, within a few seconds. */
  @Override
  public void close() {
    closed = true;
    ground.secrets().close();
    List<Thread> closers = new ArrayList<>();
    for (Bound bound : plugins.values()) {
      bound.plugin().close("the volume manager is closed").ifPresent(closers::add);
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
