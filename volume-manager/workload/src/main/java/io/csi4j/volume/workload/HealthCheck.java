package io.csi4j.volume.workload;

import static io.csi4j.volume.workload.PreflightFindings.quoted;

import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.plugin.PluginHealth;
import io.csi4j.volume.plugin.RegisteredPlugin;

/**
 * Whether a plugin that is registered can serve. Questions that were not asked count for nothing: a
 * host that does not supervise its plugins is not cut off.
 */
final class HealthCheck {

  private HealthCheck() {}

  static void check(RequestedVolume volume, RegisteredPlugin plugin, PreflightFindings found) {
    PluginHealth health = plugin.health();
    String instance = "instance " + quoted(plugin.registration().instance());
    if (plugin.remembered()) {
      found.obstacle(
          OperatorCode.PLUGIN_NOT_REGISTERED,
          PreflightFindings.about(volume),
          instance + " is known from an earlier run, and nobody has registered it since");
      return;
    }
    switch (health.state()) {
      case READY -> {}
      case STARTING -> {
        if (health.reason() != PluginHealth.Reason.NOT_ASKED) {
          found.obstacle(
              OperatorCode.PLUGIN_NOT_READY,
              PreflightFindings.about(volume),
              instance + " has not been ready since " + health.since() + ": " + health.text());
        }
      }
      case UNHEALTHY ->
          found.obstacle(
              OperatorCode.PLUGIN_UNHEALTHY,
              PreflightFindings.about(volume),
              instance + " is unhealthy since " + health.since() + ": " + health.text());
      case GONE ->
          found.obstacle(
              OperatorCode.PLUGIN_NOT_UP,
              PreflightFindings.about(volume),
              instance + " is gone since " + health.since() + ": " + health.text());
    }
  }
}
