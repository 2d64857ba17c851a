package io.csi4j.opentelemetry;

import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiListener;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.StatusCode;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** A program that has the client and no volume manager; loaded where there is none. */
public final class TracedAlone implements Runnable {

  private String spans = "";

  /** Loaded by its name. */
  public TracedAlone() {}

  @Override
  public void run() {
    InMemorySpanExporter exporter = InMemorySpanExporter.create();
    try (OpenTelemetrySdk telemetry =
            OpenTelemetrySdk.builder()
                .setTracerProvider(
                    SdkTracerProvider.builder()
                        .addSpanProcessor(SimpleSpanProcessor.create(exporter))
                        .build())
                .build();
        CsiTracing tracing = CsiTracing.of(telemetry)) {
      CsiListener calls = tracing.calls();
      CsiListener.Started started =
          new CsiListener.Started(
              1,
              CsiOperation.PROBE,
              Optional.empty(),
              CsiEndpoint.of(Path.of("/run/csi/csi.sock")),
              1);
      calls.onStart(started);
      calls.onEnd(
          new CsiListener.Ended(started, StatusCode.OK, Optional.empty(), Duration.ofMillis(1)));
      exporter.getFinishedSpanItems().forEach(span -> spans += span.getName());
    }
  }

  @Override
  public String toString() {
    return spans;
  }
}
