package io.csi4j.opentelemetry;

import io.csi4j.volume.claim.ClaimEvent;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Scope;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;

/**
 * Creates a span for each operation on a claim. The start and the end of an operation are reported
 * on the thread that performs it. So all spans that this thread creates in between are children of
 * the operation's span.
 */
final class ClaimSpans implements ClaimEvent.Listener {

  private final Tracer tracer;
  private final OpenSpans spans;

  /** The nested operations of this thread, innermost last. */
  private final ThreadLocal<Deque<Doing>> doing = ThreadLocal.withInitial(ArrayDeque::new);

  private record Doing(Span span, Scope scope) {}

  private ClaimSpans(Tracer tracer, OpenSpans spans) {
    this.tracer = tracer;
    this.spans = spans;
  }

  /**
   * Creates the listener. This method is in this class, so that the entry point can be loaded
   * without the claims module.
   */
  static ClaimEvent.Listener listener(Tracer tracer, OpenSpans spans) {
    return new ClaimSpans(tracer, spans);
  }

  @Override
  public void on(ClaimEvent event) {
    if (event instanceof ClaimEvent.Started started) {
      begin(started);
    } else if (event instanceof ClaimEvent.Ended ended) {
      end(ended);
    }
  }

  @SuppressWarnings("MustBeClosedChecker") // Closed when the end is reported, on the same thread.
  private void begin(ClaimEvent.Started started) {
    if (!spans.isOpen()) {
      // The end of the operation is reported nevertheless, and needs an entry to remove.
      doing.get().addLast(new Doing(Span.getInvalid(), Scope.noop()));
      return;
    }
    Span span =
        tracer
            .spanBuilder("csi4j.claim." + started.work().name().toLowerCase(Locale.ROOT))
            .setAttribute(SpanWords.VOLUME, started.usage().volume().toString())
            .setAttribute(SpanWords.WORKLOAD, started.usage().workload().value())
            .startSpan();
    spans.add(span);
    doing.get().addLast(new Doing(span, span.makeCurrent()));
  }

  private void end(ClaimEvent.Ended ended) {
    Deque<Doing> all = doing.get();
    Doing innermost = all.pollLast();
    if (all.isEmpty()) {
      doing.remove();
    }
    if (innermost != null) {
      innermost.scope().close();
      spans.remove(innermost.span());
      SpanWords.ended(
          innermost.span(),
          ended.problem().map(message -> message.code().name()).orElse(SpanWords.OK));
      innermost.span().end();
    }
  }
}
