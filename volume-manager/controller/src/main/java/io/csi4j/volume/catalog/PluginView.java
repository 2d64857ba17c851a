package io.csi4j.volume.catalog;

import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.plugin.InstanceId;
import io.csi4j.volume.plugin.PluginFingerprint;
import io.csi4j.volume.plugin.PluginRole;
import io.csi4j.volume.plugin.RegisteredPlugin;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * A plugin across all its instances: how many of them are healthy. The counts are recomputed from
 * the instances of all nodes each time; an operator sets the expected number.
 *
 * @param plugin the plugin
 * @param controllers the count of its controller instances
 * @param nodes the count of its node instances
 * @param requiredRoles the roles needed before a workload can use its volumes: node, and controller
 *     if volumes must be attached
 * @since 1.0
 */
public record PluginView(
    PluginId plugin, Count controllers, Count nodes, Set<PluginRole> requiredRoles) {

  /**
   * A count of instances.
   *
   * @param healthy the number of ready instances
   * @param registered the number of known instances, ready or not
   * @param expected the expected number of instances
   */
  public record Count(int healthy, int registered, int expected) {

    private static final Count NOTHING = new Count(0, 0, 0);

    /** Number of expected instances that are missing. */
    public int missing() {
      return Math.max(0, expected - healthy);
    }
  }

  /** Copies the roles. */
  public PluginView {
    Objects.requireNonNull(plugin, "plugin");
    Objects.requireNonNull(controllers, "controllers");
    Objects.requireNonNull(nodes, "nodes");
    EnumSet<PluginRole> copy = EnumSet.noneOf(PluginRole.class);
    copy.addAll(requiredRoles);
    requiredRoles = Collections.unmodifiableSet(copy);
  }

  /**
   * Returns the view computed from the instances. Instance names are local to a node: the same name
   * on two nodes means two instances. If a node reports an instance several times, the last report
   * counts.
   *
   * @param instances the instances of this and other plugins, by the node whose registry reports
   *     them; a node that is left out has no instances
   */
  public static PluginView of(
      PluginId plugin,
      Map<NodeName, ? extends Collection<RegisteredPlugin>> instances,
      ExpectedInstances expected) {
    List<RegisteredPlugin> own = new ArrayList<>();
    for (Collection<RegisteredPlugin> told : instances.values()) {
      Map<InstanceId, RegisteredPlugin> ofNode = new LinkedHashMap<>();
      for (RegisteredPlugin each : told) {
        if (each.registration().id().equals(plugin)) {
          ofNode.put(each.registration().instance(), each);
        }
      }
      own.addAll(ofNode.values());
    }
    return new PluginView(
        plugin,
        count(own, PluginRole.CONTROLLER, expected.controllers()),
        count(own, PluginRole.NODE, expected.nodes()),
        required(own, expected));
  }

  private static Count count(List<RegisteredPlugin> own, PluginRole role, int expected) {
    List<RegisteredPlugin> has =
        own.stream().filter(each -> each.registration().roles().contains(role)).toList();
    long ready = has.stream().filter(each -> each.health().isReady()).count();
    return new Count((int) ready, has.size(), expected);
  }

  /**
   * Workloads use volumes through nodes. Only a controller can report whether volumes must be
   * attached first; until one has, expected controllers count as required.
   */
  private static Set<PluginRole> required(List<RegisteredPlugin> own, ExpectedInstances expected) {
    List<PluginFingerprint> said =
        own.stream().flatMap(each -> each.fingerprint().stream()).toList();
    boolean isKnown = said.stream().anyMatch(each -> each.controller().isPresent());
    boolean isNeeded =
        isKnown
            ? said.stream().anyMatch(PluginFingerprint::requiresController)
            : expected.controllers() > 0
                && said.stream().anyMatch(PluginFingerprint::hasController);
    return isNeeded ? EnumSet.allOf(PluginRole.class) : EnumSet.of(PluginRole.NODE);
  }

  /** Whether a controller is required because volumes must be attached. */
  public boolean isControllerRequired() {
    return requiredRoles.contains(PluginRole.CONTROLLER);
  }

  /** Whether every required role has a healthy instance. */
  public boolean isHealthy() {
    return (!requiredRoles.contains(PluginRole.NODE) || nodes.healthy() > 0)
        && (!isControllerRequired() || controllers.healthy() > 0);
  }

  /** Whether no instance exists and none is expected. */
  public boolean isUnused() {
    return controllers.equals(Count.NOTHING) && nodes.equals(Count.NOTHING);
  }
}
