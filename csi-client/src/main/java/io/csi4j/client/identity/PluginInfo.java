package io.csi4j.client.identity;

import io.csi4j.client.PluginName;
import io.csi4j.client.internal.values.IdentityResults;
import java.util.Map;

/** Who a plugin is. */
public sealed interface PluginInfo permits IdentityResults.PluginInfoValue {

  /** Its name. */
  PluginName name();

  /** Its version: opaque, fit to compare for equality only. Escaped. */
  String vendorVersion();

  /** What else it says of itself, for people. */
  Map<String, String> manifest();
}
