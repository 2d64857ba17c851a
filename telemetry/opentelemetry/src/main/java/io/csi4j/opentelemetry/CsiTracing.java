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
 * The traces of csi4j. Each operation of a volume manager or a controller has a span, and each call
 * of the operation to a plugin has a child span. Each operation on a claim also has a span. The
 * parent of an operation's span is the span that was current on the requesting thread:
 *
 * <pre>{@code
 * CsiTracing tracing = CsiTracing.of(telemetry);
 * VolumeManager manager =
 *     VolumeManager.builder(directory).listener(tracing.volumes()).plugin(plugin).open();
 * }</pre>
 *
 * <p>Spans contain names, codes, and the host's own names of volumes and workloads. They contain no
 * secrets, no contexts and texts of a plugin, and no paths except the path of a plugin's socket.
 * Plugins receive the context of a trace if the host enables {@link #propagation}. Safe for use by
 * many threads.
 *
 * <p>By default, the spans of calls have the experimental names of OpenTelemetry's conventions for
 * RPC. The environment variable {@code OTEL_SEMCONV_STABILITY_OPT_IN} or the system property {@code
 * otel.semconv-stability.opt-in}, which has precedence, selects other names: {@code rpc} for the
 * stable names, {@code rpc/dup} for both.
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

  /**
   * Returns a tracing that creates its spans with the tracer {@code io.csi4j} of this
   * OpenTelemetry.
   */
  public static CsiTracing of(OpenTelemetry telemetry) {
    return of(telemetry, RpcConvention.ofProcess());
  }

  /** Returns a tracing that names the spans of calls by this convention. */
  static CsiTracing of(OpenTelemetry telemetry, RpcConvention convention) {
    Tracer tracer = telemetry.getTracer(SpanWords.SCOPE);
    return new CsiTracing(new RpcSpans(tracer, convention));
  }

  /** Returns a listener for the builder of one manager. */
  public VolumeEvent.Listener volumes() {
    return OperationSpans.listener(calls, spans);
  }

  /** Returns a listener for the builder of one {@code VolumeController}. */
  public ControllerEvent.Listener controllers() {
    return ControllerSpans.listener(calls, spans);
  }

  /**
   * Returns a listener for {@link io.csi4j.client.model.ConnectOptions.Builder#listener} of one
   * connection. The listener creates a span for each attempt of a call, as a child of the caller's
   * current span. Do not use it for the plugins of a manager or a controller: their own listeners
   * ({@link #volumes}, {@link #controllers}) already report the calls.
   */
  public CsiListener calls() {
    return new CallSpans(calls, spans, attempts);
  }

  /** Returns a listener for claim coordinators. */
  public ClaimEvent.Listener claims() {
    return ClaimSpans.listener(calls.tracer(), spans);
  }

  /**
   * Returns metadata for {@link io.csi4j.client.model.ConnectOptions.Builder#metadata} of any
   * number of connections. With this metadata, calls are sent with W3C's headers {@code
   * traceparent} and {@code tracestate}, so that spans that a plugin creates belong to the caller's
   * trace. A call without a current span is sent without these headers.
   */
  public CallMetadata propagation() {
    return new TraceMetadata(spans, attempts);
  }

  /**
   * Ends the open spans. Afterwards, the listeners create no more spans. Closing again has no
   * effect.
   */
  @Override
  public void close() {
    spans.close();
  }
}
