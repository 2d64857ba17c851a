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
 * A plugin as a whole: how many of its instances are well. Counted again from the instances of all
 * nodes each time; the expected number is said by their operator.
 *
 * @param plugin which
 * @param controllers its controllers
 * @param nodes its nodes
 * @param requiredRoles what its volumes need before a workload can use them: nodes, and controllers
 *     if volumes have to be attached
 * @since 1.0
 */
public record PluginView(
    PluginId plugin, Count controllers, Count nodes, Set<PluginRole> requiredRoles) {

  /**
   * How many there are.
   *
   * @param healthy how many are ready
   * @param registered how many are known, ready or not
   * @param expected how many there should be
   */
  public record Count(int healthy, int registered, int expected) {

    private static final Count NOTHING = new Count(0, 0, 0);

    /** How many are missing that should be there. */
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
   * The view that the instances give. Each node names its instances for itself: the same name on
   * two nodes is two instances. One that a node tells several times counts as it was told last.
   *
   * @param instances of this and other plugins, by the node whose registry tells them; a node that
   *     is left out has no instances any more
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
   * Workloads use volumes through nodes. Whether they have to be attached before that, controllers
   * say; until one has, those that are expected count as needed.
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

  /** Whether a controller is needed, because volumes have to be attached. */
  public boolean isControllerRequired() {
    return requiredRoles.contains(PluginRole.CONTROLLER);
  }

  /** Whether there is an instance that is well for everything that its volumes need. */
  public boolean isHealthy() {
    return (!requiredRoles.contains(PluginRole.NODE) || nodes.healthy() > 0)
        && (!isControllerRequired() || controllers.healthy() > 0);
  }

  /** Whether nothing of it is there, and nothing expected. */
  public boolean isUnused() {
    return controllers.equals(Count.NOTHING) && nodes.equals(Count.NOTHING);
  }
}
