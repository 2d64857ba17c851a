package io.csi4j.opentelemetry;

import io.csi4j.client.model.CsiListener;
import io.csi4j.volume.claim.ClaimListener;
import io.csi4j.volume.node.VolumeListener;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.Tracer;

/**
 * The traces of csi4j: a span for each operation of a volume manager, with its calls to the plugin
 * as children, and one for each piece of work on a claim. An operation is a child of the span that
 * was current on the thread that asked for it:
 *
 * <pre>{@code
 * CsiTracing tracing = CsiTracing.of(telemetry);
 * VolumeManager manager =
 *     VolumeManager.builder(directory).listener(tracing.volumes()).plugin(plugin).open();
 * }</pre>
 *
 * <p>Spans have names, codes and the host's own names of volumes and workloads; no secret, context,
 * path or text of a plugin. Nothing is put on the wire. Safe for use by many threads.
 *
 * @since 1.0
 */
public final class CsiTracing implements AutoCloseable {

  private final Tracer tracer;
  private final OpenSpans spans = new OpenSpans();

  private CsiTracing(Tracer tracer) {
    this.tracer = tracer;
  }

  /** Traces with the tracer {@code io.csi4j} of this OpenTelemetry. */
  public static CsiTracing of(OpenTelemetry telemetry) {
    return new CsiTracing(telemetry.getTracer(SpanWords.SCOPE));
  }

  /** A listener for the builder of one manager. */
  public VolumeListener volumes() {
    return OperationSpans.listener(tracer, spans);
  }

  /**
   * A listener for {@link io.csi4j.client.model.ConnectOptions.Builder#listener} of one connection:
   * a span for each attempt of a call, as a child of the current span of the caller. Not for the
   * plugins of a manager, which tells the calls of its operations itself ({@link #volumes}).
   */
  public CsiListener calls() {
    return new CallSpans(tracer, spans);
  }

  /** A listener for coordinators of claims. */
  public ClaimListener claims() {
    return ClaimSpans.listener(tracer, spans);
  }

  /** Ends the spans that are open; the listeners begin no more. Doing it twice is harmless. */
  @Override
  public void close() {
    spans.close();
  }
}
