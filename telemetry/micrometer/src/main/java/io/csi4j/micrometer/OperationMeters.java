package io.csi4j.micrometer;

import io.csi4j.volume.model.OperationId;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.node.VolumeEvent;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;

/** Measures the time of one manager's operations. Called by one thread at a time. */
final class OperationMeters implements VolumeEvent.Listener {

  /** Code of an operation that did not fail. */
  static final String OK = "OK";

  /** Codes of an operation that sent no call because the plugin was unreachable. */
  private static final Set<OperatorCode> UNREACHED =
      Set.of(
          OperatorCode.PLUGIN_NOT_UP,
          OperatorCode.PLUGIN_SOCKET_STALE,
          OperatorCode.PLUGIN_SOCKET_DENIED,
          OperatorCode.PLUGIN_SOCKET_TOO_LONG);

  private final Meters meters;
  private final PluginTags plugins;

  /**
   * The operations whose start was reported. The start of an operation may have been dropped before
   * its failure is reported.
   */
  private final Set<OperationId> open = new HashSet<>();

  private final NodeGauges gauges;

  private OperationMeters(Meters meters, PluginTags plugins, NodeGauges gauges) {
    this.meters = meters;
    this.plugins = plugins;
    this.gauges = gauges;
  }

  /**
   * Creates the listener. This method is in this class, so that the entry point can be loaded
   * without the volume manager.
   */
  static VolumeEvent.Listener listener(Meters meters, PluginTags plugins, NodeGauges gauges) {
    return new OperationMeters(meters, plugins, gauges);
  }

  @Override
  public void on(VolumeEvent event) {
    if (event instanceof VolumeEvent.Started started) {
      if (open.add(started.id())) {
        meters.add(CsiMeter.OPEN_OPERATIONS, 1, plugins.of(started.plugin().value()));
      }
    } else if (event instanceof VolumeEvent.Ended ended) {
      ended(ended);
    } else if (event instanceof VolumeEvent.Called called) {
      called(called);
    } else if (event instanceof VolumeEvent.Noticed noticed) {
      count(noticed.message());
    } else if (event instanceof VolumeEvent.VolumeHealthChanged changed) {
      count(changed.message());
    } else if (event instanceof VolumeEvent.StorageHealthChanged changed) {
      count(changed.message());
    }
  }

  private void called(VolumeEvent.Called called) {
    switch (called.code()) {
      case UNAVAILABLE, DEADLINE_EXCEEDED -> gauges.called(called.plugin().value(), false);
      // A cancelled call, or a call that was not sent, does not show whether the plugin answers.
      case CANCELLED -> {}
      default -> {
        if (called.isSent()) {
          gauges.called(called.plugin().value(), true);
        }
      }
    }
  }

  private void ended(VolumeEvent.Ended ended) {
    if (ended.failure().filter(it -> UNREACHED.contains(it.code())).isPresent()) {
      gauges.called(ended.started().plugin().value(), false);
    }
    VolumeEvent.Started started = ended.started();
    String plugin = plugins.of(started.plugin().value());
    if (open.remove(started.id())) {
      meters.add(CsiMeter.OPEN_OPERATIONS, -1, plugin);
    }
    meters.time(
        CsiMeter.OPERATIONS,
        ended.elapsed(),
        plugin,
        started.operation().name().toLowerCase(Locale.ROOT),
        ended.failure().map(message -> message.code().name()).orElse(OK));
  }

  private void count(OperatorMessage message) {
    meters.count(CsiMeter.NOTICES, message.code().name());
  }
}
