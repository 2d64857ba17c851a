package io.csi4j.volume.plugin;

/**
 * The registration of one instance, for the caller that registered it.
 *
 * @since 1.0
 */
public interface PluginHandle extends AutoCloseable {

  /** Returns the registration. */
  PluginRegistration registration();

  /**
   * Reports the health of the instance to the registry. Has no effect after the registration was
   * replaced or removed.
   */
  void report(PluginHealth health);

  /**
   * Reports the description of the instance to the registry.
   *
   * @throws PluginException if the instance reports another name than its plugin had; the instance
   *     does not serve until it reports the right name
   */
  void report(PluginFingerprint fingerprint);

  /**
   * Sets the action that runs when a caller reports that the description of the instance may be
   * outdated ({@link PluginRegistry#recheck}). The action runs on the thread of that caller, and
   * must not block.
   */
  default void onDoubt(Runnable asksAgain) {}

  /** Deregisters the instance, unless another registration has replaced it. */
  @Override
  void close();
}
