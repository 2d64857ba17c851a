package io.csi4j.client.identity;

import io.csi4j.client.CallPolicy;
import io.csi4j.client.CapabilitySet;
import io.csi4j.client.CsiException;
import java.util.function.UnaryOperator;

/**
 * Who a plugin is, what it offers, whether it is ready. Served on every endpoint.
 *
 * <p>Every call blocks until it has succeeded or failed for good, with the retries that its policy
 * allows; failures are {@link CsiException}s. Interrupting the caller cancels the call. Safe for
 * use by many threads, virtual ones too.
 */
public interface IdentityService {

  /** Its name and version. It is no health check: some plugins fail here and work otherwise. */
  PluginInfo getPluginInfo();

  /** What the plugin as a whole can do. */
  CapabilitySet<PluginCapability> getPluginCapabilities();

  /** Whether it is ready. A plugin that is not healthy fails this call. */
  Readiness probe();

  /** The same service, not blocking. */
  AsyncIdentityService async();

  /** The same service, with the policy of every call changed by {@code change}. */
  IdentityService with(UnaryOperator<CallPolicy> change);
}
