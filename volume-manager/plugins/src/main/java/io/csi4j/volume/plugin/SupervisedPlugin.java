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

  /** Returns the configuration of the plugin, which is always known. */
  PluginConfig config();

  /** Returns the name of the instance. */
  InstanceId instance();

  /** Returns the health of the instance. Never waits. */
  PluginHealth health();

  /** Returns the last fingerprint of the instance, if there is one. Never waits. */
  Optional<PluginFingerprint> fingerprint();

  /**
   * Asks the instance soon for its health and its capabilities, instead of at the next interval.
   * Useful after an upgrade.
   */
  void refresh();

  /**
   * Reports that the host has restarted the instance. Its state becomes STARTING, and it has the
   * full health timeout to become ready.
   */
  void restarted();

  /**
   * Ends the supervision and deregisters the instance, without calling it. Listeners receive its
   * last description. Mounts stay. Idempotent.
   */
  @Override
  void close();

  /**
   * The report about an instance that was started and has not become ready in time. The supervision
   * continues; the host decides whether to restart the plugin.
   *
   * @param plugin the instance
   * @param waited the time since the start of the instance
   * @param history the health of the instance since its start, the newest last
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
