package io.csi4j.volume.catalog;

import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.plugin.InstanceId;
import io.csi4j.volume.plugin.PluginFingerprint;
import io.csi4j.volume.plugin.PluginRole;
import io.csi4j.volume.plugin.RegisteredPlugin;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * A plugin as a whole: how many of its instances are well. Counted anew from the instances each
 * time; what is expected is said by whoever runs them.
 *
 * @param plugin which
 * @param controllers its controllers
 * @param nodes its nodes
 * @param requiredRoles what its volumes need before a workload can use them
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
   * What the instances that there are show. One that is told several times counts as it was told
   * last.
   *
   * @param instances of this and other plugins, as registries tell them
   */
  public static PluginView of(
      PluginId plugin, Collection<RegisteredPlugin> instances, ExpectedInstances expected) {
    Map<InstanceId, RegisteredPlugin> own = new HashMap<>();
    for (RegisteredPlugin each : instances) {
      if (each.registration().id().equals(plugin)) {
        own.put(each.registration().instance(), each);
      }
    }
    return new PluginView(
        plugin,
        count(own, PluginRole.CONTROLLER, expected.controllers()),
        count(own, PluginRole.NODE, expected.nodes()),
        required(own));
  }

  private static Count count(Map<InstanceId, RegisteredPlugin> own, PluginRole role, int expected) {
    List<RegisteredPlugin> has =
        own.values().stream().filter(each -> each.registration().roles().contains(role)).toList();
    long ready = has.stream().filter(each -> each.health().isReady()).count();
    return new Count((int) ready, has.size(), expected);
  }

  /** Workloads use volumes through nodes; whether through controllers, too, the plugin says. */
  private static Set<PluginRole> required(Map<InstanceId, RegisteredPlugin> own) {
    EnumSet<PluginRole> roles = EnumSet.of(PluginRole.NODE);
    boolean hasController =
        own.values().stream()
            .flatMap(each -> each.fingerprint().stream())
            .anyMatch(PluginFingerprint::requiresController);
    if (hasController) {
      roles.add(PluginRole.CONTROLLER);
    }
    return roles;
  }

  /** Whether a controller is needed. */
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
