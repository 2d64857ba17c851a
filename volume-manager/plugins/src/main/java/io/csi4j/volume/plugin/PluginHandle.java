package io.csi4j.volume.plugin;

/**
 * The registration of one instance, in the hands of who made it.
 *
 * @since 1.0
 */
public interface PluginHandle extends AutoCloseable {

  /** Returns the registration. */
  PluginRegistration registration();

  /** Tells the registry how the instance is; nothing happens once it was replaced or has left. */
  void report(PluginHealth health);

  /**
   * Tells the registry what the instance says of itself.
   *
   * @throws PluginException if it gives itself another name than its plugin had: it does not serve
   *     before it has given the right one
   */
  void report(PluginFingerprint fingerprint);

  /**
   * Sets what is run when somebody doubts what the instance said of itself: {@link
   * PluginRegistry#recheck}. It is run on the thread of that caller, and must not block.
   */
  default void onDoubt(Runnable asksAgain) {}

  /** Deregisters the instance, unless another registration has taken its place. */
  @Override
  void close();
}
