package io.csi4j.opentelemetry;

import io.csi4j.client.model.ConnectOptions.CallMetadata;
import io.csi4j.client.model.CsiListener.Started;
import io.csi4j.client.model.CsiOperation;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * Sends the context of a trace in W3C's headers {@code traceparent} and {@code tracestate}. This is
 * the context of the attempt's span if {@link CallSpans} creates one, and otherwise of the caller's
 * span. Baggage is not sent: it may contain data that a plugin must not receive.
 *
 * @param spans the open spans; also used to check whether tracing has ended
 * @param attempts the attempts in progress
 */
record TraceMetadata(OpenSpans spans, Map<Started, Span> attempts) implements CallMetadata {

  @Override
  public Function<Started, Map<String, String>> of(CsiOperation operation) {
    Context caller = Context.current();
    return attempt -> headers(caller, attempt);
  }

  private Map<String, String> headers(Context caller, Started attempt) {
    Span own = attempts.get(attempt);
    Context context = own == null ? caller : caller.with(own);
    if (!spans.isOpen() || !Span.fromContext(context).getSpanContext().isValid()) {
      return Map.of();
    }
    Map<String, String> headers = new TreeMap<>();
    W3CTraceContextPropagator.getInstance()
        .inject(context, headers, (into, name, value) -> headers.put(name, value));
    return headers;
  }
}
