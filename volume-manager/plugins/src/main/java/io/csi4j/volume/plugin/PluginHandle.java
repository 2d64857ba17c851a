package io.csi4j.volume.plugin;

/**
 * The registration of one instance, for the caller that made it.
 *
 * @since 1.0
 */
public interface PluginHandle extends AutoCloseable {

  /** Returns the registration. */
  PluginRegistration registration();

  /**
   * Reports the health of the instance to the registry; has no effect once the registration was
   * replaced or removed.
   */
  void report(PluginHealth health);

  /**
   * Reports the description of the instance to the registry.
   *
   * @throws PluginException if it gives itself another name than its plugin had: it does not serve
   *     until it has given the right name
   */
  void report(PluginFingerprint fingerprint);

  /**
   * Sets the action that runs when a caller doubts the description of the instance: {@link
   * PluginRegistry#recheck}. The action runs on the thread of that caller, and must not block.
   */
  default void onDoubt(Runnable asksAgain) {}

  /** Deregisters the instance, unless another registration has replaced it. */
  @Override
  void close();
}
