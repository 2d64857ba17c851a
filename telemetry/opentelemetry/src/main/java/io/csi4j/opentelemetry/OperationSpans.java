package io.csi4j.opentelemetry;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.opentelemetry.OpenOperations.Begun;
import io.csi4j.volume.model.OperationId;
import io.csi4j.volume.model.WorkContext;
import io.csi4j.volume.node.VolumeEvent;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.context.Context;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;

/**
 * Creates a span for each operation of one manager, with its calls as children. A call begins on
 * the thread of the operation; all other events are reported later, on one thread at a time.
 */
final class OperationSpans implements VolumeEvent.Listener {

  private final RpcSpans calls;
  private final OpenSpans spans;
  private final OpenOperations open;
  private final NewestContexts callers = new NewestContexts();

  private OperationSpans(RpcSpans calls, OpenSpans spans) {
    this.calls = calls;
    this.spans = spans;
    this.open = new OpenOperations(spans);
  }

  /**
   * Creates the listener. This method is in this class, so that the entry point can be loaded
   * without the volume manager.
   */
  static VolumeEvent.Listener listener(RpcSpans calls, OpenSpans spans) {
    return new OperationSpans(calls, spans);
  }

  @Override
  public void asked(OperationId operation) {
    if (spans.isOpen()) {
      callers.note(operation.value());
    }
  }

  @Override
  public WorkContext calling(VolumeEvent.Started operation, CsiOperation call) {
    if (!spans.isOpen()) {
      return WorkContext.none();
    }
    Instant now = Instant.now();
    Span span = call(call, begin(operation, now), operation.plugin().value(), now).startSpan();
    open.add(operation.id(), call, new Begun(span, now));
    return CallScope.of(span);
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

  private Begun begin(VolumeEvent.Started started, Instant began) {
    return open.begin(
        started.id(),
        () -> {
          SpanBuilder span =
              calls
                  .tracer()
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
          return new Begun(span.startSpan(), began);
        });
  }

  private SpanBuilder call(CsiOperation call, Begun operation, String plugin, Instant began) {
    return calls
        .of(call, Context.root().with(operation.span()), Optional.empty())
        .setStartTimestamp(began)
        .setAttribute(SpanWords.PLUGIN, plugin);
  }

  private void called(VolumeEvent.Called called) {
    Begun operation = open.get(called.operation()).orElse(null);
    if (operation == null) {
      return;
    }
    Begun call =
        open.take(called.operation(), called.call()).orElseGet(() -> past(called, operation));
    spans.remove(call.span());
    call.span().setAttribute(SpanWords.SENT, called.isSent());
    calls.ended(call.span(), called.code(), called.isSent(), called.endpoint());
    Instant now = Instant.now();
    // The elapsed time includes the time before the call was sent, which the span may not include.
    Instant ended = call.began().plus(called.elapsed());
    call.span().end(ended.isAfter(now) ? now : ended);
  }

  /** Returns the span of a call whose start was not reported. */
  private Begun past(VolumeEvent.Called called, Begun operation) {
    Instant began = Instant.now().minus(called.elapsed());
    Instant shown = began.isBefore(operation.began()) ? operation.began() : began;
    return new Begun(
        call(called.call(), operation, called.plugin().value(), shown).startSpan(), shown);
  }

  private void end(VolumeEvent.Ended ended) {
    Instant now = Instant.now();
    // The operation failed, and its start was dropped because too many events were waiting.
    Begun unused = begin(ended.started(), now.minus(ended.elapsed()));
    open.end(ended.started().id(), ended.failure(), span -> span.end(now));
  }
}
