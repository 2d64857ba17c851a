package io.csi4j.volume.plugin;

import io.csi4j.volume.model.OperatorMessage;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * One supervised instance of a plugin.
 *
 * @since 1.0
 */
public interface SupervisedPlugin extends AutoCloseable {

  /** Returns its configuration, which is known from the start. */
  PluginConfig config();

  /** Returns the name of the instance. */
  InstanceId instance();

  /** Returns its health. Never waits. */
  PluginHealth health();

  /** Returns its last fingerprint, if it has given one. Never waits. */
  Optional<PluginFingerprint> fingerprint();

  /**
   * Asks for its health and its capabilities soon, instead of when that is due: after an upgrade.
   */
  void refresh();

  /**
   * Reports that the host has restarted the instance: it is STARTING, and has the full health
   * timeout to become ready.
   */
  void restarted();

  /**
   * Ends the supervision and deregisters the instance, with its last description and without
   * calling it. Mounts stay. Idempotent.
   */
  @Override
  void close();

  /**
   * An instance that was started and has not become ready in time. Supervision continues; the host
   * decides whether to restart the plugin.
   *
   * @param plugin the instance
   * @param waited the waiting time
   * @param history its health since its start, the newest last
   * @param message the message for an operator
   * @since 1.0
   */
  record StartTimeout(
      SupervisedPlugin plugin,
      Duration waited,
      List<PluginHealth> history,
      OperatorMessage message) {

    /** Copies the list. */
    public StartTimeout {
      Objects.requireNonNull(plugin, "plugin");
      Objects.requireNonNull(waited, "waited");
      Objects.requireNonNull(message, "message");
      history = List.copyOf(history);
    }
  }
}
