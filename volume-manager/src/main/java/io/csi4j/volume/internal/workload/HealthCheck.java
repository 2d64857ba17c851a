package io.csi4j.volume.internal.workload;

import static io.csi4j.volume.internal.workload.Findings.quoted;

import io.csi4j.volume.OperatorCode;
import io.csi4j.volume.plugin.PluginHealth;
import io.csi4j.volume.plugin.RegisteredPlugin;
import io.csi4j.volume.workload.RequestedVolume;

/**
 * Whether a plugin that is registered can serve. What nobody has asked it counts for nothing: a
 * host that does not look after its plugins is not cut off.
 */
final class HealthCheck {

  private HealthCheck() {}

  static void check(RequestedVolume volume, RegisteredPlugin plugin, Findings found) {
    PluginHealth health = plugin.health();
    String instance = "instance " + quoted(plugin.registration().instance());
    if (plugin.remembered()) {
      found.obstacle(
          OperatorCode.PLUGIN_NOT_REGISTERED,
          Findings.about(volume),
          instance + " is known from an earlier run, and nobody has registered it since");
      return;
    }
    switch (health.state()) {
      case READY -> {}
      case STARTING -> {
        if (health.reason() != PluginHealth.Reason.NOT_ASKED) {
          found.obstacle(
              OperatorCode.PLUGIN_NOT_READY,
              Findings.about(volume),
              instance + " has not been ready since " + health.since() + ": " + health.text());
        }
      }
      case UNHEALTHY ->
          found.obstacle(
              OperatorCode.PLUGIN_UNHEALTHY,
              Findings.about(volume),
              instance + " is unhealthy since " + health.since() + ": " + health.text());
      case GONE ->
          found.obstacle(
              OperatorCode.PLUGIN_NOT_UP,
              Findings.about(volume),
              instance + " is gone since " + health.since() + ": " + health.text());
    }
  }
}
