package io.csi4j.opentelemetry;

import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiListener;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.StatusCode;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Collectors;

/** A program that has the client and no volume manager; loaded where there is none. */
public final class TracedAlone implements Runnable {

  private String spans = "";
  private String names = "";

  /** Loaded by its name. */
  public TracedAlone() {}

  /** Prints the span, and the names of its attributes that are not csi4j's. */
  public static void main(String[] args) {
    TracedAlone traced = new TracedAlone();
    traced.run();
    System.out.println(traced + " " + traced.names);
  }

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
      names =
          exporter.getFinishedSpanItems().stream()
              .flatMap(span -> span.getAttributes().asMap().keySet().stream())
              .map(AttributeKey::getKey)
              .filter(name -> !name.startsWith("csi4j."))
              .sorted()
              .collect(Collectors.joining(","));
    }
  }

  @Override
  public String toString() {
    return spans;
  }
}
