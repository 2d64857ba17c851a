package io.csi4j.client.identity;

import io.csi4j.client.model.CallPolicy;
import io.csi4j.client.model.CapabilitySet;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;

/**
 * The identity of a plugin, what it offers, whether it is ready. Served on every endpoint.
 *
 * <p>Every call blocks until it has succeeded or failed for good, with the retries that its policy
 * allows; failures are {@link io.csi4j.client.model.CsiException}s. Interrupting the caller cancels
 * the call. Safe for use by many threads, virtual ones too.
 *
 * @since 1.0
 */
public interface IdentityService {

  /** Its name and version. It is no health check: some plugins fail here and work otherwise. */
  PluginInfo getPluginInfo();

  /** Returns the capabilities of the plugin as a whole. */
  CapabilitySet<PluginCapability> getPluginCapabilities();

  /** Whether it is ready. A plugin that is not healthy fails this call. */
  Readiness probe();

  /** Returns the service that does not block. */
  Async async();

  /** Returns the service with the policy of every call changed by {@code change}. */
  IdentityService with(UnaryOperator<CallPolicy.Builder> change);

  /**
   * The identity of a plugin, what it offers, whether it is ready. Served on every endpoint.
   * Without blocking.
   *
   * <p>A stage fails with the {@link io.csi4j.client.model.CsiException} that the blocking call
   * would throw. Cancelling it, as {@code stage.toCompletableFuture().cancel(true)}, cancels the
   * call. Actions that hang on a stage run on the callback threads of the connection, never on its
   * I/O thread.
   */
  interface Async {

    /** Its name and version. It is no health check: some plugins fail here and work otherwise. */
    CompletionStage<PluginInfo> getPluginInfo();

    /** Returns the capabilities of the plugin as a whole. */
    CompletionStage<CapabilitySet<PluginCapability>> getPluginCapabilities();

    /** Whether it is ready. A plugin that is not healthy fails this call. */
    CompletionStage<Readiness> probe();
  }
}
