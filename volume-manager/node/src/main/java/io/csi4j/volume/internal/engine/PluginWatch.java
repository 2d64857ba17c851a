package io.csi4j.volume.internal.engine;

import io.csi4j.volume.internal.link.PluginAnswer;
import io.csi4j.volume.internal.port.NodePlugin;
import io.csi4j.volume.internal.text.InlineName;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.node.VolumeEvent;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Remembers the last seen process of each plugin and whether the plugin stages volumes. Notifies
 * the volumes of a plugin when the plugin's process has changed. Safe for use by many threads.
 */
final class PluginWatch {

  /** Maximum number of volumes that a message names. */
  private static final int MOST_NAMES = 20;

  private final EngineParts parts;
  private final Function<PluginId, List<VolumeQueue>> volumes;
  private final ConcurrentMap<PluginId, String> processes = new ConcurrentHashMap<>();
  private final ConcurrentMap<PluginId, Boolean> staging = new ConcurrentHashMap<>();
  private final Set<PluginId> gone = ConcurrentHashMap.newKeySet();

  /**
   * The names that plugins report for themselves and that differ from the registered names, as last
   * reported to listeners.
   */
  private final ConcurrentMap<PluginId, String> names = new ConcurrentHashMap<>();

  /**
   * Creates a watch that has seen no plugin.
   *
   * @param volumes returns the volumes of a plugin
   */
  PluginWatch(EngineParts parts, Function<PluginId, List<VolumeQueue>> volumes) {
    this.parts = parts;
    this.volumes = volumes;
  }

  /**
   * Handles a plugin that the manager was opened with: the plugin's published devices are held open
   * again, if its policy requires it.
   */
  void opened(PluginId plugin) {
    parts
        .plugins()
        .find(plugin)
        .filter(known -> known.policy().holdDevices())
        .ifPresent(known -> volumes.apply(plugin).forEach(VolumeQueue::hold));
  }

  /** Handles a plugin that has appeared, returned or left, or that may have a new process. */
  void changed(PluginId plugin) {
    tellIfGone(plugin);
    Optional<NodePlugin> known = parts.plugins().find(plugin);
    if (known.isEmpty()) {
      return;
    }
    List<VolumeQueue> concerned = volumes.apply(plugin);
    if (concerned.isEmpty()) {
      // A plugin without volumes is queried when the first volume is mounted with it.
      return;
    }
    for (VolumeQueue volume : concerned) {
      volume.wake();
      volume.inspect();
    }
    NodePlugin there = known.get();
    there.facts(
        answer -> {
          if (answer instanceof PluginAnswer.Up up) {
            heard(plugin, there.instance(), Optional.of(up.stages()));
          }
        });
  }

  /**
   * Handles an answer of a plugin: the name of its process, which is empty if unknown, and whether
   * the plugin stages volumes, if the answer says so.
   */
  void heard(PluginId plugin, String instance, Optional<Boolean> stages) {
    if (!instance.isEmpty() && !instance.equals(processes.get(plugin))) {
      String before = processes.put(plugin, instance);
      if (before != null && !before.equals(instance)) {
        tell(
            OperatorCode.PLUGIN_REPLACED,
            plugin,
            "the process '" + instance + "' has replaced '" + before + "'");
        volumes.apply(plugin).forEach(VolumeQueue::replaced);
      }
    }
    stages
        .filter(value -> !value.equals(staging.get(plugin)))
        .filter(value -> !value.equals(staging.put(plugin, value)))
        .ifPresent(value -> compare(plugin, value));
    if (stages.isPresent()) {
      tellIfNamedOtherwise(plugin);
    }
  }

  /** Reports a plugin whose own name differs from its registered name, once for each such name. */
  private void tellIfNamedOtherwise(PluginId plugin) {
    parts
        .plugins()
        .find(plugin)
        .flatMap(NodePlugin::otherName)
        .filter(name -> !name.equals(names.put(plugin, name)))
        .ifPresent(
            name ->
                tell(
                    OperatorCode.PLUGIN_NAME_DIFFERS,
                    plugin,
                    "it is registered as '" + plugin + "', but reports the name '" + name + "'"));
  }

  /**
   * Reports how many volumes were mounted before the plugin gained or lost the staging capability.
   */
  private void compare(PluginId plugin, boolean stages) {
    long others =
        volumes.apply(plugin).stream()
            .flatMap(volume -> volume.view().record().stream())
            .filter(record -> record.plan().isKnown() && record.plan().staged() != stages)
            .filter(record -> !record.isEmpty())
            .filter(record -> !InlineName.isName(record.identity().handle().value()))
            .count();
    if (others > 0) {
      tell(
          stages ? OperatorCode.CAPABILITY_GAINED : OperatorCode.CAPABILITY_LOST,
          plugin,
          "STAGE_UNSTAGE_VOLUME, "
              + (stages ? "without" : "with")
              + " which "
              + others
              + (others == 1 ? " volume was" : " volumes were")
              + " mounted");
    }
  }

  /**
   * Reports a plugin that is not registered although it has volumes; once until the plugin is
   * registered again.
   */
  void tellIfGone(PluginId plugin) {
    boolean isThere = parts.plugins().find(plugin).isPresent();
    if (isThere) {
      gone.remove(plugin);
      return;
    }
    List<String> names =
        volumes.apply(plugin).stream()
            .filter(volume -> volume.view().record().isPresent())
            .map(volume -> "'" + volume.identity().handle() + "'")
            .toList();
    if (!names.isEmpty() && gone.add(plugin)) {
      tell(
          OperatorCode.PLUGIN_GONE,
          plugin,
          names.size()
              + (names.size() == 1 ? " volume: " : " volumes: ")
              + names.stream().limit(MOST_NAMES).collect(Collectors.joining(", "))
              + (names.size() > MOST_NAMES ? " and others" : ""));
    }
  }

  private void tell(OperatorCode code, PluginId plugin, String seen) {
    Subject subject = Subject.of("looking after plugin '" + plugin + "'");
    parts.events().accept(new VolumeEvent.Noticed(Messages.of(code, subject, seen)));
  }
}
