package io.csi4j.volume.plugin;

import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.PluginId;
import java.util.List;
import java.util.Optional;

/**
 * Something that happened to an instance of a plugin. No event holds a secret.
 *
 * @since 1.0
 */
public sealed interface PluginEvent {

  /** The plugin. */
  PluginId plugin();

  /** The instance. */
  InstanceId instance();

  /**
   * The instance was registered, or its registration was replaced by the same instance.
   *
   * @param registered the instance as it is known now
   * @param update whether it was known before
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
   * The instance is registered no more.
   *
   * @param last the instance as it was known
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
   * Its health is another one.
   *
   * @param plugin the plugin
   * @param instance the instance
   * @param before how it was
   * @param now how it is
   * @param message what an operator is told, where it is worth it
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
   * @param changes what is new in it; empty for the first time
   * @param messages what an operator is told
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
   * Something else that an operator has to know.
   *
   * @param plugin the plugin
   * @param instance the instance
   * @param message what
   */
  record Noticed(PluginId plugin, InstanceId instance, OperatorMessage message)
      implements PluginEvent {}

  /**
   * A listener who is told what happens to plugins. Events come in order, one at a time and under
   * no lock; a listener that throws or blocks does no harm. Of more than 10 000 events that wait
   * for it the oldest are dropped, and the log says how many.
   *
   * @since 1.0
   */
  @FunctionalInterface
  interface Listener {

    /** Told of one event. */
    void on(PluginEvent event);
  }
}
