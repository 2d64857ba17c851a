package io.csi4j.opentelemetry;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.mount.real.Eventually;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** An SDK that keeps the spans that have ended, for a test to look at. */
final class RecordedSpans implements AutoCloseable {

  private final InMemorySpanExporter exporter = InMemorySpanExporter.create();
  final OpenTelemetrySdk telemetry =
      OpenTelemetrySdk.builder()
          .setTracerProvider(
              SdkTracerProvider.builder()
                  .addSpanProcessor(SimpleSpanProcessor.create(exporter))
                  .build())
          .build();
  final Tracer host = telemetry.getTracer("host");

  List<SpanData> all() {
    return exporter.getFinishedSpanItems();
  }

  List<SpanData> named(String name) {
    return all().stream().filter(span -> span.getName().equals(name)).toList();
  }

  /** The only span of this name, once it has ended. */
  SpanData one(String name) {
    Eventually.isTrue(name + " has ended", () -> !named(name).isEmpty());
    assertThat(named(name)).as(name).hasSize(1);
    return named(name).get(0);
  }

  static Map<String, Object> attributes(SpanData span) {
    Map<String, Object> attributes = new TreeMap<>();
    span.getAttributes().forEach((key, value) -> attributes.put(key.getKey(), value));
    return attributes;
  }

  static void isChild(SpanData child, SpanData parent) {
    assertThat(child.getTraceId()).as(child.getName()).isEqualTo(parent.getTraceId());
    assertThat(child.getParentSpanId()).as(child.getName()).isEqualTo(parent.getSpanId());
  }

  /** The header that stands for a span. */
  static String traceparent(SpanData span) {
    return "00-%s-%s-%s"
        .formatted(
            span.getTraceId(), span.getSpanId(), span.getSpanContext().getTraceFlags().asHex());
  }

  @Override
  public void close() {
    telemetry.close();
  }
}
