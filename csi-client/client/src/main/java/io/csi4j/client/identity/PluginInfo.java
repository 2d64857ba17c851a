package io.csi4j.client.identity;

import io.csi4j.client.model.PluginName;
import java.util.Map;

/**
 * The identity of a plugin.
 *
 * @since 1.0
 */
public interface PluginInfo {

  /** Its name. */
  PluginName name();

  /** Its version: opaque, fit to compare for equality only. Escaped. */
  String vendorVersion();

  /** Returns what else it says of itself, for people. */
  Map<String, String> manifest();
}
