package io.csi4j.examples;

import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.micrometer.CsiMetrics;
import io.csi4j.opentelemetry.CsiTracing;
import io.csi4j.volume.controller.VolumeController;
import io.csi4j.volume.manager.VolumeManager;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.plugin.PluginRegistry;
import io.csi4j.volume.store.RecordStore;
import io.micrometer.core.instrument.MeterRegistry;
import io.opentelemetry.api.OpenTelemetry;
import java.nio.file.Path;
import java.util.function.Consumer;

/** The code blocks of docs/metrics.md, each between a mark with its name and one at its end. */
final class MetricsSnippets {

  private MetricsSnippets() {}

  static void metrics(
      MeterRegistry registry,
      Path directory,
      PluginId plugin,
      CsiEndpoint endpoint,
      MountPolicy policy,
      Consumer<VolumeManager> host)
      throws Exception {
    // snippet: metrics
    CsiMetrics metrics = CsiMetrics.bindTo(registry); // one for a registry
    ConnectOptions options =
        ConnectOptions.builder().listener(metrics.calls(plugin.value())).build();
    PluginBinding binding =
        PluginBinding.builder(plugin, endpoint).connectOptions(options).policy(policy).build();
    try (VolumeManager manager =
            VolumeManager.builder(directory).listener(metrics.volumes()).plugin(binding).open();
        AutoCloseable watched = metrics.watch(manager)) {
      host.accept(manager);
    }
    // end
  }

  static void controlPlane(
      MeterRegistry registry,
      PluginRegistry plugins,
      RecordStore store,
      Consumer<VolumeController> host)
      throws Exception {
    // snippet: controlPlane
    CsiMetrics metrics = CsiMetrics.bindTo(registry); // one for a registry
    RecordStore metered = metrics.store(store); // for the catalog and for claims
    try (VolumeController controller =
            VolumeController.builder(plugins, metered).listener(metrics.controllers()).open();
        AutoCloseable watched = metrics.watch(controller)) {
      host.accept(controller);
    }
    // end
  }

  static void traces(
      OpenTelemetry telemetry,
      Path directory,
      PluginBinding binding,
      Consumer<VolumeManager> host) {
    // snippet: traces
    CsiTracing tracing = CsiTracing.of(telemetry);
    try (VolumeManager manager =
        VolumeManager.builder(directory).listener(tracing.volumes()).plugin(binding).open()) {
      host.accept(manager); // its current span is the parent of its operations
    }
    // end
  }

  static PluginBinding propagation(
      CsiTracing tracing, PluginId plugin, CsiEndpoint endpoint, MountPolicy policy) {
    // snippet: propagation
    ConnectOptions options = ConnectOptions.builder().metadata(tracing.propagation()).build();
    PluginBinding binding =
        PluginBinding.builder(plugin, endpoint).connectOptions(options).policy(policy).build();
    // end
    return binding;
  }
}
