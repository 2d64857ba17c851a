package io.csi4j.volume.manager;

import io.csi4j.client.model.PluginPath;
import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.internal.engine.VolumeEngine;
import io.csi4j.volume.internal.plugin.LivePluginRegistry;
import io.csi4j.volume.internal.plugin.PluginMemory;
import io.csi4j.volume.internal.plugin.ServingSwitch;
import io.csi4j.volume.internal.real.CsiNodePlugins;
import io.csi4j.volume.internal.real.RealParts;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.internal.time.OnDemandThreads;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeException.Outcome;
import io.csi4j.volume.plugin.InstanceId;
import io.csi4j.volume.plugin.PluginException;
import io.csi4j.volume.plugin.PluginHandle;
import io.csi4j.volume.plugin.PluginRegistration;
import io.csi4j.volume.plugin.PluginRegistry;
import io.csi4j.volume.plugin.RegisteredPlugin;
import io.csi4j.volume.plugin.launch.PropagationCheck;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Connects the plugin registry of a manager to its engine, so that calls go to the serving instance
 * of a plugin.
 */
final class PluginWiring implements ServingSwitch, AutoCloseable {

  private final CsiNodePlugins plugins;
  private final MountPath root;
  private final Consumer<OperatorMessage> told;
  private final OnDemandThreads telling = new OnDemandThreads("csi4j-volume-plugin-events");

  /** The instance of each plugin that served last; guarded by the registry's lock. */
  private final Map<PluginId, RegisteredPlugin> last = new HashMap<>();

  private final LivePluginRegistry registry;
  private volatile @Nullable VolumeEngine engine;

  private PluginWiring(RealParts parts, PluginMemory memory, Consumer<OperatorMessage> told) {
    plugins = parts.plugins();
    root = parts.layout().root();
    this.told = told;
    registry = LivePluginRegistry.open(parts.registryGround(telling), memory, this);
  }

  /**
   * Creates the registry with the plugins from an earlier run. {@link #tell} sets the engine later.
   *
   * @param told receives the warnings about a newly registered plugin
   */
  static PluginWiring open(RealParts parts, PluginMemory memory, Consumer<OperatorMessage> told) {
    return new PluginWiring(parts, memory, told);
  }

  /** Sets the engine, which is notified of plugin changes from now on. */
  void tell(VolumeEngine opened) {
    engine = opened;
  }

  @Override
  public Runnable serve(PluginId plugin, Optional<RegisteredPlugin> serving) {
    Runnable ending = plugins.serve(plugin, serving);
    Optional<RegisteredPlugin> before = Optional.ofNullable(last.remove(plugin));
    serving.ifPresent(now -> last.put(plugin, now));
    return () -> {
      ending.run();
      serving
          .filter(now -> isElsewhere(before, now))
          .ifPresent(now -> findings(now.registration().binding()).forEach(told));
      VolumeEngine there = engine;
      if (there != null && isAnother(before, serving)) {
        there.pluginChanged(plugin);
      }
    };
  }

  /**
   * Returns whether the plugin was registered again. A new registration counts as a change even if
   * its values are the same.
   */
  @SuppressWarnings("ReferenceEquality")
  private static boolean isElsewhere(Optional<RegisteredPlugin> before, RegisteredPlugin now) {
    return before.isEmpty() || before.get().registration() != now.registration();
  }

  /**
   * Returns whether volumes must check the plugin again. They must if the plugin appeared, left,
   * was registered again, changed its state, or was identified again because it may be a new
   * process.
   */
  static boolean isAnother(Optional<RegisteredPlugin> before, Optional<RegisteredPlugin> now) {
    return now.map(known -> isElsewhere(before, known) || isChanged(before.get(), known))
        .orElse(before.isPresent());
  }

  private static boolean isChanged(RegisteredPlugin before, RegisteredPlugin now) {
    return before.health().state() != now.health().state()
        || !before.fingerprint().equals(now.fingerprint());
  }

  PluginRegistry registry() {
    return registry;
  }

  /** Registers the only instance of a plugin, or replaces its binding. */
  List<OperatorMessage> register(PluginBinding binding) {
    try {
      PluginHandle registered = registry.replace(PluginRegistration.node(binding));
      return findings(registered.registration().binding());
    } catch (PluginException refused) {
      throw new VolumeException(Outcome.REFUSED, refused.operatorMessage(), null, refused);
    }
  }

  private List<OperatorMessage> findings(PluginBinding binding) {
    Subject subject = Subject.of("registering plugin '" + binding.id() + "'");
    List<OperatorMessage> all = new ArrayList<>();
    plugins
        .findings(binding)
        .forEach(finding -> all.add(Messages.of(finding.code(), subject, finding.text())));
    binding.seesRootAt().flatMap(seen -> unshared(binding.id(), seen)).ifPresent(all::add);
    return List.copyOf(all);
  }

  /**
   * Returns a warning about a plugin in a container, unless mounts in the directory propagate
   * between the container and the host.
   */
  private Optional<OperatorMessage> unshared(PluginId plugin, PluginPath seen) {
    // An unreadable mount table is not reported here: the next mount fails with that reason.
    return PropagationCheck.host(plugin, root, seen).message();
  }

  /** Removes the only instance of a plugin. */
  boolean deregister(PluginId plugin) {
    return registry.deregister(plugin, InstanceId.ONLY);
  }

  @Override
  public void close() {
    registry.close();
    telling.close();
  }
}
