package io.csi4j.opentelemetry;

import io.csi4j.client.model.CsiListener;
import io.csi4j.client.model.StatusCode;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.context.Context;
import java.util.Map;
import java.util.Optional;

/**
 * Creates a span for each attempt of a call on one connection. The parent is the caller's span,
 * even if the attempt begins on another thread.
 */
final class CallSpans implements CsiListener {

  private final RpcSpans calls;
  private final OpenSpans spans;
  private final NewestContexts callers = new NewestContexts();

  /**
   * Attempts in progress, compared by identity, because attempts of different connections may be
   * equal.
   */
  private final Map<Started, Span> attempts;

  CallSpans(RpcSpans calls, OpenSpans spans, Map<Started, Span> attempts) {
    this.calls = calls;
    this.spans = spans;
    this.attempts = attempts;
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
        calls
            .of(event.operation(), callers.get(event.callId()), Optional.of(event.endpoint()))
            .setAttribute(SpanWords.ATTEMPT, (long) event.attempt());
    event.plugin().ifPresent(name -> span.setAttribute(SpanWords.PLUGIN, name.value()));
    Span begun = span.startSpan();
    spans.add(begun);
    attempts.put(event, begun);
  }

  @Override
  public void onEnd(Ended event) {
    if (event.code() == StatusCode.OK) {
      Context unused = callers.take(event.started().callId());
    }
    Span span = attempts.remove(event.started());
    if (span != null) {
      spans.remove(span);
      calls.ended(span, event.code(), true, Optional.of(event.started().endpoint()));
      span.end();
    }
  }
}
