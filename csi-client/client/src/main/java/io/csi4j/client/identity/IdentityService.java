package io.csi4j.client.identity;

import io.csi4j.client.model.CallPolicy;
import io.csi4j.client.model.CapabilitySet;
import io.csi4j.client.model.PluginName;
import java.util.Map;
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

  /**
   * The identity of a plugin.
   *
   * @since 1.0
   */
  interface PluginInfo {

    /** Its name. */
    PluginName name();

    /** Its version: opaque, fit to compare for equality only. Escaped. */
    String vendorVersion();

    /** Returns what else it says of itself, for people. */
    Map<String, String> manifest();
  }

  /**
   * The answer of a plugin to a probe. A plugin that is not healthy answers with a failure.
   *
   * @since 1.0
   */
  enum Readiness {
    /** The plugin is ready. */
    READY,
    /** The plugin did not say, which the spec counts as ready. */
    ASSUMED_READY,
    /** The plugin is still starting: wait and probe again, there is no need for a restart. */
    NOT_READY;

    /** Whether controller and node calls may be made. */
    public boolean isReady() {
      return this != NOT_READY;
    }
  }
}
