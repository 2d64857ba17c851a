package io.csi4j.volume.plugin;

import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.PluginId;
import java.util.List;
import java.util.Optional;

/**
 * An event that concerns one instance of a plugin. No event contains a secret.
 *
 * @since 1.0
 */
public sealed interface PluginEvent {

  /** Returns the plugin. */
  PluginId plugin();

  /** Returns the instance. */
  InstanceId instance();

  /**
   * The instance was registered, or its registration was replaced by the same instance.
   *
   * @param registered the instance after the registration
   * @param update whether the instance was registered before
   */
  record Registered(RegisteredPlugin registered, boolean update) implements PluginEvent {
    @Override
    public PluginId plugin() {
      return registered.registration().id();
    }

    @Override
    public InstanceId instance() {
      return registered.registration().instance();
    }
  }

  /**
   * The instance is no longer registered.
   *
   * @param last the instance before it was deregistered
   */
  record Deregistered(RegisteredPlugin last) implements PluginEvent {
    @Override
    public PluginId plugin() {
      return last.registration().id();
    }

    @Override
    public InstanceId instance() {
      return last.registration().instance();
    }
  }

  /**
   * The health of the instance has changed.
   *
   * @param plugin the plugin
   * @param instance the instance
   * @param before the health before
   * @param now the current health
   * @param message the message for an operator, if an operator needs one
   */
  record HealthChanged(
      PluginId plugin,
      InstanceId instance,
      PluginHealth before,
      PluginHealth now,
      Optional<OperatorMessage> message)
      implements PluginEvent {}

  /**
   * The fingerprint of the instance has changed.
   *
   * @param plugin the plugin
   * @param instance the instance
   * @param now the fingerprint
   * @param changes the changes; empty for the first fingerprint
   * @param messages the messages for an operator
   */
  record Fingerprinted(
      PluginId plugin,
      InstanceId instance,
      PluginFingerprint now,
      List<PluginFingerprint.Change> changes,
      List<OperatorMessage> messages)
      implements PluginEvent {

    /** Copies the lists. */
    public Fingerprinted {
      changes = List.copyOf(changes);
      messages = List.copyOf(messages);
    }
  }

  /**
   * Another message for an operator.
   *
   * @param plugin the plugin
   * @param instance the instance
   * @param message the message
   */
  record Noticed(PluginId plugin, InstanceId instance, OperatorMessage message)
      implements PluginEvent {}

  /**
   * Receives the events of plugins. Events arrive in order, one at a time, and no lock is held. A
   * listener that blocks or throws an exception has no effect on other listeners or plugins. If
   * more than 10 000 events wait for a listener, the oldest events are dropped, and their number is
   * logged.
   *
   * @since 1.0
   */
  @FunctionalInterface
  interface Listener {

    /** Receives one event. */
    void on(PluginEvent event);
  }
}
