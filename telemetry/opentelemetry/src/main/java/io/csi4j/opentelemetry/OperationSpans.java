package io.csi4j.opentelemetry;

import io.csi4j.volume.model.OperationId;
import io.csi4j.volume.node.VolumeEvent;
import io.csi4j.volume.node.VolumeListener;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import java.time.Instant;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/**
 * A span for each operation of one manager, with its calls as children. But for {@link #asked},
 * told on one thread at a time.
 */
final class OperationSpans implements VolumeListener {

  private final Tracer tracer;
  private final OpenSpans spans;
  private final NewestContexts callers = new NewestContexts();
  private final Map<OperationId, Open> open = new HashMap<>();

  /**
   * The span of an operation that has not ended.
   *
   * @param began when it was told to have begun: no call of it is shown earlier
   */
  private record Open(Span span, Instant began) {}

  private OperationSpans(Tracer tracer, OpenSpans spans) {
    this.tracer = tracer;
    this.spans = spans;
  }

  /** Created here, so that the entry point can be loaded where there is no volume manager. */
  static VolumeListener listener(Tracer tracer, OpenSpans spans) {
    return new OperationSpans(tracer, spans);
  }

  @Override
  public void asked(OperationId operation) {
    if (spans.isOpen()) {
      callers.note(operation.value());
    }
  }

  @Override
  public void on(VolumeEvent event) {
    if (!spans.isOpen()) {
      open.clear();
    } else if (event instanceof VolumeEvent.Started started) {
      begin(started, Instant.now());
    } else if (event instanceof VolumeEvent.Called called) {
      called(called);
    } else if (event instanceof VolumeEvent.Ended ended) {
      end(ended);
    }
  }

  private void begin(VolumeEvent.Started started, Instant began) {
    SpanBuilder span =
        tracer
            .spanBuilder("csi4j." + started.operation().name().toLowerCase(Locale.ROOT))
            .setParent(callers.take(started.id().value()))
            .setStartTimestamp(began)
            .setAttribute(SpanWords.PLUGIN, started.plugin().value());
    started
        .usage()
        .ifPresent(
            use -> {
              span.setAttribute(SpanWords.VOLUME, use.volume().toString());
              span.setAttribute(SpanWords.WORKLOAD, use.workload().value());
            });
    Span begun = span.startSpan();
    spans.add(begun);
    open.put(started.id(), new Open(begun, began));
  }

  private void called(VolumeEvent.Called called) {
    Open parent = open.get(called.operation());
    if (parent == null) {
      return;
    }
    Instant now = Instant.now();
    Instant began = now.minus(called.elapsed());
    Span span =
        SpanWords.call(tracer, called.call(), Context.root().with(parent.span()))
            .setStartTimestamp(began.isBefore(parent.began()) ? parent.began() : began)
            .setAttribute(SpanWords.PLUGIN, called.plugin().value())
            .setAttribute(SpanWords.SENT, called.isSent())
            .startSpan();
    SpanWords.ended(span, called.code());
    span.end(now);
  }

  private void end(VolumeEvent.Ended ended) {
    Instant now = Instant.now();
    if (!open.containsKey(ended.started().id())) {
      // The failure of an operation whose start was dropped, as too many events waited.
      begin(ended.started(), now.minus(ended.elapsed()));
    }
    Open operation = open.remove(ended.started().id());
    if (operation != null) {
      spans.remove(operation.span());
      SpanWords.ended(
          operation.span(),
          ended.failure().map(message -> message.code().name()).orElse(SpanWords.OK));
      operation.span().end(now);
    }
  }
}
