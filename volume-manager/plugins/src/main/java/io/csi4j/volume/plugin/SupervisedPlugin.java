package io.csi4j.volume.plugin;

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
}
