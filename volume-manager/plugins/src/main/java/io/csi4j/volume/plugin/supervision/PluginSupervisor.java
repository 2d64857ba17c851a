package io.csi4j.volume.plugin.supervision;

import io.csi4j.volume.internal.disk.RealDisk;
import io.csi4j.volume.internal.link.PluginConnections;
import io.csi4j.volume.internal.plugin.LivePluginRegistry;
import io.csi4j.volume.internal.plugin.Supervisor;
import io.csi4j.volume.internal.probe.CsiProber;
import io.csi4j.volume.internal.probe.PluginProcesses;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.time.ListenerHub;
import io.csi4j.volume.internal.time.SystemClock;
import io.csi4j.volume.internal.time.SystemScheduler;
import io.csi4j.volume.plugin.InstanceId;
import io.csi4j.volume.plugin.PluginConfig;
import io.csi4j.volume.plugin.PluginEvent;
import io.csi4j.volume.plugin.PluginRegistry;
import io.csi4j.volume.plugin.SupervisedPlugin;
import io.csi4j.volume.plugin.SupervisedPlugin.StartTimeout;
import io.csi4j.volume.state.HostIdentity;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * Supervises plugins: waits for their sockets, checks their health at an interval, asks for their
 * capabilities, registers the plugins that are ready, and reports changes with the reason. The
 * supervisor never starts, stops or kills a plugin.
 *
 * <p>A plugin that does not become ready in time is passed to a callback, and the host decides how
 * to react. All plugins together use three threads, and one more thread for each connection that is
 * being made and for each listener that is being notified.
 *
 * <pre>{@code
 * try (PluginSupervisor supervisor = PluginSupervisor.open(manager.plugins());
 *     SupervisedPlugin plugin = supervisor.supervise(config)) { // registered while it is ready
 *   manager.plugins().await(config.id(), PluginRole.NODE, Duration.ofMinutes(1)).join();
 *   log.accept(plugin.health().state());
 * }
 * }</pre>
 *
 * @since 1.0
 */
public final class PluginSupervisor implements AutoCloseable {

  private static final System.Logger LOGGER = System.getLogger("io.csi4j.volume");

  private static final int THREADS = 2;
  private static final Duration CLOSING = Duration.ofSeconds(10);

  private final SystemScheduler scheduler;
  private final ListenerHub hub =
      new ListenerHub("a supervisor of plugins", "csi4j-volume-supervisor-events");
  private final Supervisor supervisor;

  private PluginSupervisor(Builder parts) {
    scheduler = new SystemScheduler(THREADS, "csi4j-volume-supervisor", CLOSING);
    SystemClock clock = new SystemClock();
    RealDisk disk = new RealDisk();
    PluginProcesses processes = new PluginProcesses(disk, HostIdentity.current().boot().value());
    PluginConnections connections = LivePluginRegistry.connections(parts.registry);
    supervisor =
        new Supervisor(
            parts.registry,
            parts.listeners.isEmpty() ? List.of(PluginSupervisor::log) : parts.listeners,
            parts.onStartTimeout,
            new Supervisor.Parts(
                clock,
                scheduler,
                hub,
                disk,
                config -> new CsiProber(config, processes, clock, connections)));
  }

  /** Logs the messages of an event. */
  private static void log(PluginEvent event) {
    if (event instanceof PluginEvent.HealthChanged changed) {
      changed.message().ifPresent(Messages::log);
    } else if (event instanceof PluginEvent.Fingerprinted found) {
      found.messages().forEach(Messages::log);
    } else if (event instanceof PluginEvent.Noticed noticed) {
      Messages.log(noticed.message());
    }
  }

  /**
   * Opens a supervisor that registers plugins in this registry, and logs the messages for an
   * operator.
   */
  public static PluginSupervisor open(PluginRegistry registry) {
    return builder(registry).open();
  }

  /** Returns a builder for a supervisor that registers plugins in this registry. */
  public static Builder builder(PluginRegistry registry) {
    return new Builder(registry);
  }

  /** Supervises the only instance of a plugin. */
  public SupervisedPlugin supervise(PluginConfig config) {
    return supervise(config, InstanceId.ONLY);
  }

  /**
   * Begins to supervise an instance, which need not have been started yet.
   *
   * @throws io.csi4j.volume.plugin.PluginException if other users may write to the directory of the
   *     plugin's socket
   */
  public SupervisedPlugin supervise(PluginConfig config, InstanceId instance) {
    return supervisor.supervise(config, instance);
  }

  /**
   * Ends all supervisions, deregisters the plugins, and waits until the listeners have received
   * their events. Waits at most 10 s for the plugins and 10 s for the listeners. If a listener
   * closes the supervisor, this method does not wait for the listeners. Idempotent.
   */
  @Override
  public void close() {
    try {
      var unused = supervisor.stop().get(CLOSING.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      LOGGER.log(Level.WARNING, "Not all plugins were deregistered within {0}.", CLOSING);
    } finally {
      hub.close(CLOSING);
      scheduler.close();
    }
  }

  /** Collects the parts of a {@link PluginSupervisor}. */
  public static final class Builder {

    private final PluginRegistry registry;
    private final List<PluginEvent.Listener> listeners = new ArrayList<>();
    private Consumer<StartTimeout> onStartTimeout = timeout -> {};

    private Builder(PluginRegistry registry) {
      this.registry = Objects.requireNonNull(registry, "registry");
    }

    /**
     * Adds a listener for events, including events of instances that are not registered yet. A
     * supervisor without a listener logs the messages for an operator.
     */
    public Builder listener(PluginEvent.Listener listener) {
      listeners.add(Objects.requireNonNull(listener, "listener"));
      return this;
    }

    /**
     * Sets a callback for an instance that has not become ready in time. It is called like a
     * listener.
     */
    public Builder onStartTimeout(Consumer<StartTimeout> callback) {
      onStartTimeout = Objects.requireNonNull(callback, "callback");
      return this;
    }

    /** Opens the supervisor. */
    public PluginSupervisor open() {
      return new PluginSupervisor(this);
    }
  }
}
