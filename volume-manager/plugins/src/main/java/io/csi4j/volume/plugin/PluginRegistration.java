package io.csi4j.volume.plugin;

import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;

/**
 * One running instance of a plugin, with all its roles.
 *
 * @param binding the socket and the policy of the plugin
 * @param instance the name of the instance
 * @param roles its roles; at least one
 * @since 1.0
 */
public record PluginRegistration(
    PluginBinding binding, InstanceId instance, Set<PluginRole> roles) {

  /** Copies the roles, and requires at least one. */
  public PluginRegistration {
    Objects.requireNonNull(binding, "binding");
    Objects.requireNonNull(instance, "instance");
    if (roles.isEmpty()) {
      throw new IllegalArgumentException(
          "The instance '"
              + instance
              + "' of plugin '"
              + binding.id()
              + "' has no role. Give it node, controller, or both.");
    }
    roles = Set.copyOf(EnumSet.copyOf(roles));
  }

  /**
   * Returns the registration of the only instance of a plugin, which serves volumes on this node.
   */
  public static PluginRegistration node(PluginBinding binding) {
    return node(binding, InstanceId.ONLY);
  }

  /**
   * Returns the registration of one of several instances of a plugin, which serves volumes on this
   * node.
   */
  public static PluginRegistration node(PluginBinding binding, InstanceId instance) {
    return new PluginRegistration(binding, instance, EnumSet.of(PluginRole.NODE));
  }

  /** Returns the registration of the only instance of a plugin, which is a controller. */
  public static PluginRegistration controller(PluginBinding binding) {
    return controller(binding, InstanceId.ONLY);
  }

  /** Returns the registration of one of several instances of a plugin, which is a controller. */
  public static PluginRegistration controller(PluginBinding binding, InstanceId instance) {
    return new PluginRegistration(binding, instance, EnumSet.of(PluginRole.CONTROLLER));
  }

  /**
   * Returns the registration of the only instance of a plugin, which is both node and controller.
   */
  public static PluginRegistration monolith(PluginBinding binding) {
    return monolith(binding, InstanceId.ONLY);
  }

  /**
   * Returns the registration of one of several instances of a plugin, which is both node and
   * controller.
   */
  public static PluginRegistration monolith(PluginBinding binding, InstanceId instance) {
    return new PluginRegistration(binding, instance, EnumSet.allOf(PluginRole.class));
  }

  /** Returns the name of the plugin. */
  public PluginId id() {
    return binding.id();
  }
}
