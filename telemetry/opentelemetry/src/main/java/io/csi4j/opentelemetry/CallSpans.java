package io.csi4j.opentelemetry;

import io.csi4j.client.model.CsiListener;
import io.csi4j.client.model.StatusCode;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A span for each attempt of a call on one connection. Their parent is the caller's span, on
 * whichever thread they begin.
 */
final class CallSpans implements CsiListener {

  private final Tracer tracer;
  private final OpenSpans spans;
  private final NewestContexts callers = new NewestContexts();
  private final Map<Started, Span> open = new ConcurrentHashMap<>();

  CallSpans(Tracer tracer, OpenSpans spans) {
    this.tracer = tracer;
    this.spans = spans;
  }

  @Override
  public void onAsked(Asked event) {
    if (spans.isOpen()) {
      callers.note(event.callId());
    }
  }

  @Override
  public void onStart(Started event) {
    if (!spans.isOpen()) {
      return;
    }
    SpanBuilder span =
        SpanWords.call(tracer, event.operation(), callers.get(event.callId()))
            .setAttribute(SpanWords.ATTEMPT, (long) event.attempt());
    event.plugin().ifPresent(name -> span.setAttribute(SpanWords.PLUGIN, name.value()));
    Span begun = span.startSpan();
    spans.add(begun);
    open.put(event, begun);
  }

  @Override
  public void onEnd(Ended event) {
    if (event.code() == StatusCode.OK) {
      Context unused = callers.take(event.started().callId());
    }
    Span span = open.remove(event.started());
    if (span != null) {
      spans.remove(span);
      SpanWords.ended(span, event.code());
      span.end();
    }
  }
}
