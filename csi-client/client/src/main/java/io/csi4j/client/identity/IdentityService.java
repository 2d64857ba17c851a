package io.csi4j.client.identity;

import io.csi4j.client.model.CallPolicy;
import io.csi4j.client.model.CapabilitySet;
import io.csi4j.client.model.PluginName;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;

/**
 * The identity of a plugin, its capabilities and its readiness. Every endpoint serves this service.
 *
 * <p>Every call blocks until it has succeeded or failed permanently; the client retries as often as
 * the policy of the call allows. A failed call throws a {@link io.csi4j.client.model.CsiException}.
 * Interrupting the caller cancels the call. Safe for use by many threads, including virtual
 * threads.
 *
 * @since 1.0
 */
public interface IdentityService {

  /**
   * Returns the name and the version of the plugin. This call is not a health check: some plugins
   * fail this call but otherwise work.
   */
  PluginInfo getPluginInfo();

  /** Returns the capabilities of the plugin as a whole. */
  CapabilitySet<PluginCapability> getPluginCapabilities();

  /** Asks the plugin whether it is ready. An unhealthy plugin fails this call. */
  Readiness probe();

  /** Returns the non-blocking form of this service. */
  Async async();

  /** Returns a copy of this service that applies {@code change} to the policy of every call. */
  IdentityService with(UnaryOperator<CallPolicy.Builder> change);

  /**
   * The identity service without blocking.
   *
   * <p>A stage fails with the {@link io.csi4j.client.model.CsiException} that the blocking call
   * would throw. To cancel the call, cancel the stage: {@code
   * stage.toCompletableFuture().cancel(true)}. Dependent actions of a stage run on the callback
   * threads of the connection, never on its I/O thread.
   */
  interface Async {

    /**
     * Returns the name and the version of the plugin. This call is not a health check: some plugins
     * fail this call but otherwise work.
     */
    CompletionStage<PluginInfo> getPluginInfo();

    /** Returns the capabilities of the plugin as a whole. */
    CompletionStage<CapabilitySet<PluginCapability>> getPluginCapabilities();

    /** Asks the plugin whether it is ready. An unhealthy plugin fails this call. */
    CompletionStage<Readiness> probe();
  }

  /**
   * The identity of a plugin.
   *
   * @since 1.0
   */
  interface PluginInfo {

    /** The name of the plugin. */
    PluginName name();

    /** The version of the plugin, escaped. Versions are opaque: compare them only for equality. */
    String vendorVersion();

    /** Returns additional information that the plugin reports about itself, meant for people. */
    Map<String, String> manifest();
  }

  /**
   * The answer of a plugin to a probe. An unhealthy plugin fails the call instead.
   *
   * @since 1.0
   */
  enum Readiness {
    /** The plugin is ready. */
    READY,
    /** The plugin returned no value, which the spec defines as ready. */
    ASSUMED_READY,
    /** The plugin is still starting: wait and probe again; a restart is not needed. */
    NOT_READY;

    /** Whether controller and node calls may be made. */
    public boolean isReady() {
      return this != NOT_READY;
    }
  }
}
