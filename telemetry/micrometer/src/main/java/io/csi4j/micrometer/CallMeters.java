package io.csi4j.micrometer;

import io.csi4j.client.model.CsiListener;
import io.csi4j.client.model.PluginName;
import java.util.Optional;

/** Measures the time of call attempts, and counts connections. */
final class CallMeters implements CsiListener {

  private final Meters meters;
  private final PluginTags plugins;

  /** The name that the host gave to the plugin, if all calls go to the same plugin. */
  private final Optional<String> hosts;

  CallMeters(Meters meters, PluginTags plugins, Optional<String> hosts) {
    this.meters = meters;
    this.plugins = plugins;
    this.hosts = hosts;
  }

  @Override
  public void onStart(Started event) {
    meters.add(CsiMeter.OPEN_ATTEMPTS, 1, plugin(event.plugin()));
  }

  @Override
  public void onEnd(Ended event) {
    String plugin = plugin(event.started().plugin());
    meters.add(CsiMeter.OPEN_ATTEMPTS, -1, plugin);
    meters.time(
        CsiMeter.ATTEMPTS,
        event.elapsed(),
        plugin,
        event.started().operation().rpcName(),
        event.code().name());
  }

  @Override
  public void onWarning(Warning event) {
    meters.count(CsiMeter.WARNINGS, plugin(event.plugin()), event.operation().rpcName());
  }

  @Override
  public void onConnected(Connected event) {
    meters.count(CsiMeter.CONNECTIONS, plugin(event.plugin()), "made");
  }

  @Override
  public void onLost(Lost event) {
    meters.count(CsiMeter.CONNECTIONS, plugin(event.plugin()), "lost");
  }

  private String plugin(Optional<PluginName> name) {
    return hosts.or(() -> name.map(PluginName::value)).map(plugins::of).orElse(PluginTags.UNKNOWN);
  }
}
