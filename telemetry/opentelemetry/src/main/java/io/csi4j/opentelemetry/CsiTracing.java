package io.csi4j.opentelemetry;

import io.csi4j.client.model.ConnectOptions.CallMetadata;
import io.csi4j.client.model.CsiListener;
import io.csi4j.volume.claim.ClaimEvent;
import io.csi4j.volume.controller.ControllerEvent;
import io.csi4j.volume.node.VolumeEvent;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.Tracer;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Map;

/**
 * The traces of csi4j: a span for each operation of a volume manager or of a controller, with its
 * calls to the plugin as children, and one for each piece of work on a claim. An operation is a
 * child of the span that was current on the thread that asked for it:
 *
 * <pre>{@code
 * CsiTracing tracing = CsiTracing.of(telemetry);
 * VolumeManager manager =
 *     VolumeManager.builder(directory).listener(tracing.volumes()).plugin(plugin).open();
 * }</pre>
 *
 * <p>Spans have names, codes and the host's own names of volumes and workloads; no secret, context
 * or text of a plugin, and no path but that of a plugin's socket. Plugins are sent the context of a
 * trace where the host asks for it ({@link #propagation}). Safe for use by many threads.
 *
 * <p>The spans of calls have the experimental names of OpenTelemetry's conventions for RPC unless
 * the process was started with {@code OTEL_SEMCONV_STABILITY_OPT_IN}, or with the system property
 * {@code otel.semconv-stability.opt-in}, which has precedence: {@code rpc} for the stable names,
 * {@code rpc/dup} for both.
 *
 * @since 1.0
 */
public final class CsiTracing implements AutoCloseable {

  private final RpcSpans calls;
  private final OpenSpans spans = new OpenSpans();
  private final Map<CsiListener.Started, Span> attempts =
      Collections.synchronizedMap(new IdentityHashMap<>());

  private CsiTracing(RpcSpans calls) {
    this.calls = calls;
  }

  /** Traces with the tracer {@code io.csi4j} of this OpenTelemetry. */
  public static CsiTracing of(OpenTelemetry telemetry) {
    return of(telemetry, RpcConvention.ofProcess());
  }

  /** Returns a tracing whose spans of calls are named by this convention. */
  static CsiTracing of(OpenTelemetry telemetry, RpcConvention convention) {
    Tracer tracer = telemetry.getTracer(SpanWords.SCOPE);
    return new CsiTracing(new RpcSpans(tracer, convention));
  }

  /** A listener for the builder of one manager. */
  public VolumeEvent.Listener volumes() {
    return OperationSpans.listener(calls, spans);
  }

  /** A listener for the builder of one {@code VolumeController}. */
  public ControllerEvent.Listener controllers() {
    return ControllerSpans.listener(calls, spans);
  }

  /**
   * A listener for {@link io.csi4j.client.model.ConnectOptions.Builder#listener} of one connection:
   * a span for each attempt of a call, as a child of the current span of the caller. Not for the
   * plugins of a manager or a controller, which report the calls of their operations themselves
   * ({@link #volumes}, {@link #controllers}).
   */
  public CsiListener calls() {
    return new CallSpans(calls, spans, attempts);
  }

  /** A listener for coordinators of claims. */
  public ClaimEvent.Listener claims() {
    return ClaimSpans.listener(calls.tracer(), spans);
  }

  /**
   * Metadata for {@link io.csi4j.client.model.ConnectOptions.Builder#metadata} of any number of
   * connections: calls are sent with W3C's {@code traceparent} and {@code tracestate}, so that the
   * spans of a plugin that traces itself belong to the trace of the caller. Calls for which no span
   * is current are sent without.
   */
  public CallMetadata propagation() {
    return new TraceMetadata(spans, attempts);
  }

  /** Ends the spans that are open; the listeners begin no more. Doing it twice is harmless. */
  @Override
  public void close() {
    spans.close();
  }
}
