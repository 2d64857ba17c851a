package io.csi4j.client.identity;

import io.csi4j.client.CapabilitySet;
import io.csi4j.client.CsiException;
import java.util.concurrent.CompletionStage;

/**
 * Who a plugin is, what it offers, whether it is ready. Served on every endpoint. Without blocking.
 *
 * <p>A stage fails with the {@link CsiException} that the blocking call would throw. Cancelling it,
 * as {@code stage.toCompletableFuture().cancel(true)}, cancels the call. Actions that hang on a
 * stage run on the callback threads of the connection, never on its I/O thread.
 */
public interface AsyncIdentityService {

  /** Its name and version. It is no health check: some plugins fail here and work otherwise. */
  CompletionStage<PluginInfo> getPluginInfo();

  /** What the plugin as a whole can do. */
  CompletionStage<CapabilitySet<PluginCapability>> getPluginCapabilities();

  /** Whether it is ready. A plugin that is not healthy fails this call. */
  CompletionStage<Readiness> probe();
}
