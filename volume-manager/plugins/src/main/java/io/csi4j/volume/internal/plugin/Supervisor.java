package io.csi4j.volume.internal.plugin;

import io.csi4j.volume.internal.disk.Disk;
import io.csi4j.volume.internal.disk.DiskException;
import io.csi4j.volume.internal.disk.FileFacts;
import io.csi4j.volume.internal.text.ForeignText;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.internal.time.Clock;
import io.csi4j.volume.internal.time.Mailbox;
import io.csi4j.volume.internal.time.Scheduler;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.plugin.InstanceId;
import io.csi4j.volume.plugin.PluginConfig;
import io.csi4j.volume.plugin.PluginEvent;
import io.csi4j.volume.plugin.PluginException;
import io.csi4j.volume.plugin.PluginListener;
import io.csi4j.volume.plugin.PluginRegistry;
import io.csi4j.volume.plugin.StartTimeout;
import io.csi4j.volume.plugin.SupervisedPlugin;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Function;

/** The watch over all plugins of one supervisor, and those who are told of them. */
public final class Supervisor {

  private static final System.Logger LOGGER = System.getLogger("io.csi4j.volume");

  private static final int OTHERS_WRITE = 02;

  private final List<PluginListener> listeners;
  private final Consumer<StartTimeout> onStartTimeout;
  private final Disk disk;
  private final Function<PluginConfig, Prober> probers;
  private final Mailbox telling;
  private final Supervision.Ground ground;
  private final Set<Supervision> all = ConcurrentHashMap.newKeySet();

  /**
   * The parts that a supervisor works with.
   *
   * @param clock time
   * @param scheduler where turns are taken and listeners told
   * @param disk where directories are looked at
   * @param probers makes the probers of plugins
   */
  public record Parts(
      Clock clock, Scheduler scheduler, Disk disk, Function<PluginConfig, Prober> probers) {}

  /** A supervisor without plugins yet. */
  public Supervisor(
      PluginRegistry registry,
      List<PluginListener> listeners,
      Consumer<StartTimeout> onStartTimeout,
      Parts parts) {
    this.listeners = List.copyOf(listeners);
    this.onStartTimeout = onStartTimeout;
    disk = parts.disk();
    probers = parts.probers();
    telling = new Mailbox(parts.scheduler(), Supervisor::failed);
    ground =
        new Supervision.Ground(registry, parts.clock(), parts.scheduler(), this::tell, this::hand);
  }

  private static void failed(Throwable failure) {
    LOGGER.log(
        Level.WARNING,
        "A listener of plugin events failed. It is told of further events. Repair it.",
        failure);
  }

  /** Watches over one instance from now on. */
  public SupervisedPlugin supervise(PluginConfig config, InstanceId instance) {
    refuseUnsafe(config);
    Supervision supervision =
        new Supervision(config, instance, ground, probers.apply(config), all::remove);
    all.add(supervision);
    supervision.start();
    return supervision;
  }

  private void refuseUnsafe(PluginConfig config) {
    if (config.connectOptions().allowUnsafeDirectory()) {
      return;
    }
    Optional<FileFacts> found;
    try {
      found = disk.facts(config.socketDirectory());
    } catch (DiskException unknown) {
      return;
    }
    if (found.isPresent()
        && found.get().kind() == FileFacts.Kind.DIRECTORY
        && (found.get().mode() & OTHERS_WRITE) != 0) {
      throw new PluginException(
          Messages.of(
              OperatorCode.PLUGIN_CONFIG_REFUSED,
              Subject.of("configuring the plugin '" + config.id() + "'"),
              "everybody may write to the directory of its socket '"
                  + ForeignText.of(config.socketDirectory().toString())
                  + "' and could put another socket there"));
    }
  }

  private void tell(PluginEvent event) {
    for (PluginListener listener : listeners) {
      boolean unused = later(() -> listener.on(event));
    }
  }

  private void hand(StartTimeout timeout) {
    boolean unused = later(() -> onStartTimeout.accept(timeout));
  }

  /** Runs this later; returns false if nothing is told any more. */
  private boolean later(Runnable work) {
    try {
      telling.put(work);
      return true;
    } catch (RejectedExecutionException closed) {
      return false;
    }
  }

  /** Ends all watches; completes when the instances are deregistered and all is told. */
  public CompletableFuture<Void> stop() {
    CompletableFuture<?>[] ends =
        all.stream().map(Supervision::stop).toArray(CompletableFuture<?>[]::new);
    CompletableFuture<Void> told = new CompletableFuture<>();
    return CompletableFuture.allOf(ends)
        .thenCompose(
            none ->
                later(() -> told.complete(null)) ? told : CompletableFuture.completedFuture(null));
  }
}
