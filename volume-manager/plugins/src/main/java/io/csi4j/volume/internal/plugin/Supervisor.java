package io.csi4j.volume.internal.plugin;

import io.csi4j.volume.internal.disk.Disk;
import io.csi4j.volume.internal.disk.DiskException;
import io.csi4j.volume.internal.disk.FileFacts;
import io.csi4j.volume.internal.text.ForeignText;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.internal.time.Clock;
import io.csi4j.volume.internal.time.ListenerHub;
import io.csi4j.volume.internal.time.ListenerHub.Listening;
import io.csi4j.volume.internal.time.Scheduler;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.plugin.InstanceId;
import io.csi4j.volume.plugin.PluginConfig;
import io.csi4j.volume.plugin.PluginEvent;
import io.csi4j.volume.plugin.PluginException;
import io.csi4j.volume.plugin.PluginRegistry;
import io.csi4j.volume.plugin.SupervisedPlugin;
import io.csi4j.volume.plugin.SupervisedPlugin.StartTimeout;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;

/** All supervisions of one supervisor, and its listeners. */
public final class Supervisor {

  private static final int GROUP_WRITE = 020;
  private static final int OTHERS_WRITE = 02;

  private final Disk disk;
  private final Function<PluginConfig, Prober> probers;
  private final Supervision.Ground ground;
  private final Set<Supervision> all = ConcurrentHashMap.newKeySet();

  /**
   * The parts of a supervisor.
   *
   * @param clock the clock
   * @param scheduler runs the turns
   * @param hub notifies listeners
   * @param disk reads directories
   * @param probers creates the probers of plugins
   */
  public record Parts(
      Clock clock,
      Scheduler scheduler,
      ListenerHub hub,
      Disk disk,
      Function<PluginConfig, Prober> probers) {}

  /** Creates a supervisor without plugins. */
  public Supervisor(
      PluginRegistry registry,
      List<PluginEvent.Listener> listeners,
      Consumer<StartTimeout> onStartTimeout,
      Parts parts) {
    disk = parts.disk();
    probers = parts.probers();
    List<Listening<PluginEvent>> told =
        listeners.stream().map(each -> parts.hub().<PluginEvent>listen(each::on)).toList();
    ground =
        new Supervision.Ground(
            registry,
            parts.clock(),
            parts.scheduler(),
            event -> told.forEach(each -> each.tell(event)),
            parts.hub().listen(onStartTimeout)::tell);
  }

  /** Supervises one instance from now on. */
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
    int mode =
        found
            .filter(facts -> facts.kind() == FileFacts.Kind.DIRECTORY)
            .map(FileFacts::mode)
            .orElse(0);
    if ((mode & (GROUP_WRITE | OTHERS_WRITE)) != 0) {
      throw new PluginException(
          Messages.of(
              OperatorCode.PLUGIN_CONFIG_REFUSED,
              Subject.of("configuring the plugin '" + config.id() + "'"),
              ((mode & OTHERS_WRITE) == 0 ? "a group" : "everybody")
                  + " may write to the directory of its socket '"
                  + ForeignText.of(config.socketDirectory().toString())
                  + "' and could put another socket there"));
    }
  }

  /** Ends all supervisions. The result completes when the instances are deregistered. */
  public CompletableFuture<Void> stop() {
    return CompletableFuture.allOf(
        all.stream().map(Supervision::stop).toArray(CompletableFuture<?>[]::new));
  }
}
