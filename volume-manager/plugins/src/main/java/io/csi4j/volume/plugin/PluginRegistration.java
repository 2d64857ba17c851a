package io.csi4j.volume.plugin;

import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;

/**
 * One running instance of a plugin, for all roles that it has.
 *
 * @param binding where it is, and how it is treated
 * @param instance which one it is
 * @param roles what it serves; at least one
 * @since 1.0
 */
public record PluginRegistration(
    PluginBinding binding, InstanceId instance, Set<PluginRole> roles) {

  /** Copies the roles, and refuses to have none. */
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

  /** The only instance of a plugin, for volumes of this node. */
  public static PluginRegistration node(PluginBinding binding) {
    return node(binding, InstanceId.ONLY);
  }

  /** One of several instances of a plugin, for volumes of this node. */
  public static PluginRegistration node(PluginBinding binding, InstanceId instance) {
    return new PluginRegistration(binding, instance, EnumSet.of(PluginRole.NODE));
  }

  /** The only instance of a plugin, for the storage system as a whole. */
  public static PluginRegistration controller(PluginBinding binding) {
    return controller(binding, InstanceId.ONLY);
  }

  /** One of several instances of a plugin, for the storage system as a whole. */
  public static PluginRegistration controller(PluginBinding binding, InstanceId instance) {
    return new PluginRegistration(binding, instance, EnumSet.of(PluginRole.CONTROLLER));
  }

  /** The only instance of a plugin that is node and controller. */
  public static PluginRegistration monolith(PluginBinding binding) {
    return monolith(binding, InstanceId.ONLY);
  }

  /** One of several instances of a plugin that is node and controller. */
  public static PluginRegistration monolith(PluginBinding binding, InstanceId instance) {
    return new PluginRegistration(binding, instance, EnumSet.allOf(PluginRole.class));
  }

  /** The name of the plugin. */
  public PluginId id() {
    return binding.id();
  }
}
