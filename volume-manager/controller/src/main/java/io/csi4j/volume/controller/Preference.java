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

/** The order in which instances of a plugin are tried. Stateless. */
final class Preference {

  private Preference() {}

  /**
   * The instances that may be called, the best first: a ready one before one that was not probed
   * yet; among those, one whose connection was not lost before one whose connection was; then the
   * one called last before the newest. An instance that is unhealthy, or only remembered, is not
   * called.
   *
   * @param all the instances in the registry's order, the newest first
   * @param last the instance that was called last
   * @param lost the instances whose connection broke during their last call
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

  /** Returns the instances of a plugin that have the controller role. */
  static List<RegisteredPlugin> controllers(PluginId plugin, List<RegisteredPlugin> all) {
    return all.stream()
        .filter(each -> each.registration().id().equals(plugin))
        .filter(each -> each.registration().roles().contains(PluginRole.CONTROLLER))
        .toList();
  }

  /**
   * False only if instances exist, none is a controller, and none reports that the plugin has one.
   */
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

  /**
   * False only if there is no controller, or if the controllers that reported their capabilities do
   * not attach volumes.
   */
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
