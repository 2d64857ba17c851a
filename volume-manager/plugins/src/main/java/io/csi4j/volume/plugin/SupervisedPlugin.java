package io.csi4j.volume.plugin;

import io.csi4j.volume.model.OperatorMessage;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * One instance of a plugin, while it is watched over.
 *
 * @since 1.0
 */
public interface SupervisedPlugin extends AutoCloseable {

  /** Returns its configuration, which is known from the start. */
  PluginConfig config();

  /** Which instance it is. */
  InstanceId instance();

  /** How it is. Never waits. */
  PluginHealth health();

  /** Returns its last fingerprint, if it has given one. Never waits. */
  Optional<PluginFingerprint> fingerprint();

  /** Asks it soon how it is and what it can do, instead of when that is due: after an upgrade. */
  void refresh();

  /**
   * Says that the host has started it again: it is STARTING, and has the whole health timeout to
   * become ready.
   */
  void restarted();

  /**
   * Ends the watch and deregisters the instance, with what it said last and without asking it. What
   * is mounted stays. Doing it twice is harmless.
   */
  @Override
  void close();

  /**
   * All that is known of an instance that was started and has not become ready in time. It is asked
   * further; whether it is started again is for the host to decide.
   *
   * @param plugin the instance
   * @param waited how long it was waited for
   * @param history how it was since its start, the newest last
   * @param message what an operator is told
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
