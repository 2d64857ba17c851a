package io.csi4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.VolumeId;
import io.csi4j.opentelemetry.CsiTracing;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.volume.manager.VolumeManager;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.plugin.supervision.InMemoryPluginRegistry;
import io.csi4j.volume.store.local.MemoryStore;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Holds docs/metrics.md to what really compiles, runs and is shown. Its tables are held by the
 * tests of the modules that they are about.
 */
class MetricsPageTest {

  private static final PluginId PLUGIN = PluginId.of("fake");
  private static final VolumeId VOLUME = VolumeId.of("vol-1");
  private static final VolumeUse USE = VolumeUse.of(VolumeKey.of("data"), WorkloadId.of("web-1"));

  /** The plugin makes directories only, so that everybody may run this. */
  private static final MountPolicy POLICY = MountPolicy.builder().requireMount(false).build();

  @TempDir Path directory;

  @Test
  void theMetricsOfThePageAreThere() throws Exception {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    try (FakeCsiPlugin fake = FakeCsiPlugin.open(PluginShape.nodeOnly())) {
      fake.addVolume(VOLUME);
      MetricsSnippets.metrics(
          registry,
          directory,
          PLUGIN,
          fake.endpoint(),
          POLICY,
          manager -> {
            mount(manager);
            assertThat(registry.get("csi4j.volumes").tag("plugin", "fake").gauge().value())
                .isBetween(0.0, 1.0);
          });
    }

    assertThat(
            registry
                .get("csi4j.operations")
                .tags("plugin", "fake", "operation", "mount", "code", "OK")
                .timer()
                .count())
        .isEqualTo(1);
    assertThat(
            registry
                .get("csi4j.call.attempts")
                .tags("call", "NodePublishVolume", "code", "OK")
                .timer()
                .count())
        .isEqualTo(1);
    assertThat(registry.find("csi4j.volumes").gauges()).as("not watched any more").isEmpty();
  }

  @Test
  void theMetricsOfAControlPlaneAreThere() throws Exception {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    MetricsSnippets.controlPlane(
        registry,
        InMemoryPluginRegistry.open(),
        new MemoryStore(),
        controller -> {
          assertThat(controller.pending()).isEmpty();
          assertThat(registry.get("csi4j.controller.upkeep").gauge().value()).isZero();
        });

    assertThat(registry.get("csi4j.store.calls").tags("call", "scan").timers()).isNotEmpty();
    assertThat(registry.find("csi4j.controller.upkeep").gauges())
        .as("not watched any more")
        .isEmpty();
  }

  @Test
  void theTraceOfThePageIsThere() {
    InMemorySpanExporter exporter = InMemorySpanExporter.create();
    try (FakeCsiPlugin fake = FakeCsiPlugin.open(PluginShape.nodeOnly());
        OpenTelemetrySdk telemetry =
            OpenTelemetrySdk.builder()
                .setTracerProvider(
                    SdkTracerProvider.builder()
                        .addSpanProcessor(SimpleSpanProcessor.create(exporter))
                        .build())
                .build()) {
      fake.addVolume(VOLUME);
      Span job = telemetry.getTracer("host").spanBuilder("start job").startSpan();
      MetricsSnippets.traces(
          telemetry,
          directory,
          MetricsSnippets.propagation(CsiTracing.of(telemetry), PLUGIN, fake.endpoint(), POLICY),
          manager -> Context.current().with(job).wrap(() -> mount(manager)).run());
      job.end();

      List<SpanData> spans = exporter.getFinishedSpanItems();
      assertThat(spans)
          .extracting(SpanData::getName)
          .containsExactlyInAnyOrder(
              "start job",
              "csi4j.mount",
              "csi.v1.Node/NodeStageVolume",
              "csi.v1.Node/NodePublishVolume");
      assertThat(spans)
          .extracting(SpanData::getTraceId)
          .containsOnly(job.getSpanContext().getTraceId());
      SpanData stage =
          spans.stream()
              .filter(span -> span.getName().equals("csi.v1.Node/NodeStageVolume"))
              .findFirst()
              .orElseThrow();
      assertThat(fake.journal().calls(CsiOperation.NODE_STAGE_VOLUME).get(0).metadata())
          .hasEntrySatisfying(
              "traceparent",
              sent ->
                  assertThat(sent)
                      .startsWith("00-" + stage.getTraceId() + "-" + stage.getSpanId() + "-"));
    }
  }

  private static void mount(VolumeManager manager) {
    assertThat(
            manager
                .mount(
                    MountRequest.builder(PLUGIN, USE, VOLUME, AccessMode.SINGLE_NODE_WRITER)
                        .build())
                .usage())
        .isEqualTo(USE);
  }
}
