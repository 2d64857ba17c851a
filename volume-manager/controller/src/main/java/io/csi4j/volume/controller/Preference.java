package io.csi4j.volume.controller;

import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.plugin.InstanceId;
import io.csi4j.volume.plugin.PluginFingerprint;
import io.csi4j.volume.plugin.PluginHealth;
import io.csi4j.volume.plugin.PluginRole;
import io.csi4j.volume.plugin.RegisteredPlugin;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Which instance of a plugin is asked first. Pure. */
final class Preference {

  private Preference() {}

  /**
   * The instances that may be called, the best first: one that is ready before one that was not
   * asked yet; among those, one that was not lost before one that was, and the one of last time
   * before the newest. One that is unhealthy, or only remembered, is not called.
   *
   * @param all as a registry tells them, the newest first
   * @param last which was called last
   * @param lost those whose connection broke when they were called last
   */
  static List<RegisteredPlugin> order(
      PluginId plugin,
      List<RegisteredPlugin> all,
      Optional<InstanceId> last,
      Set<InstanceId> lost) {
    return controllers(plugin, all).stream()
        .filter(Preference::mayBeCalled)
        .sorted(
            Comparator.<RegisteredPlugin, Boolean>comparing(each -> !each.health().isReady())
                .thenComparing(each -> lost.contains(each.registration().instance()))
                .thenComparing(each -> !last.equals(Optional.of(each.registration().instance()))))
        .toList();
  }

  /** The instances of a plugin that have this role. */
  static List<RegisteredPlugin> controllers(PluginId plugin, List<RegisteredPlugin> all) {
    return all.stream()
        .filter(each -> each.registration().id().equals(plugin))
        .filter(each -> each.registration().roles().contains(PluginRole.CONTROLLER))
        .toList();
  }

  /** False only if instances are there, none is a controller, and none says that there is one. */
  static boolean mayHaveController(PluginId plugin, List<RegisteredPlugin> all) {
    List<RegisteredPlugin> own =
        all.stream().filter(each -> each.registration().id().equals(plugin)).toList();
    return own.isEmpty()
        || own.stream()
            .anyMatch(
                each ->
                    each.registration().roles().contains(PluginRole.CONTROLLER)
                        || each.fingerprint().filter(PluginFingerprint::hasController).isPresent());
  }

  /** False only if there is no controller, or those that said what they can do attach nothing. */
  static boolean mayAttach(PluginId plugin, List<RegisteredPlugin> all) {
    List<PluginFingerprint> said =
        controllers(plugin, all).stream().flatMap(each -> each.fingerprint().stream()).toList();
    return mayHaveController(plugin, all)
        && (said.isEmpty() || said.stream().anyMatch(PluginFingerprint::requiresController));
  }

  private static boolean mayBeCalled(RegisteredPlugin known) {
    PluginHealth health = known.health();
    return !known.remembered()
        && switch (health.state()) {
          case READY -> true;
          case STARTING -> health.reason() != PluginHealth.Reason.REFUSED;
          case UNHEALTHY, GONE -> false;
        };
  }
}
