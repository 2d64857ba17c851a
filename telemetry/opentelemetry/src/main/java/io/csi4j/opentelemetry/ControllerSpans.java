package io.csi4j.opentelemetry;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.opentelemetry.OpenOperations.Begun;
import io.csi4j.volume.controller.ControllerEvent;
import io.csi4j.volume.model.OperationId;
import io.csi4j.volume.model.WorkContext;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Creates a span for each operation of one controller, with its calls as children. An operation
 * begins and ends on one thread, so all spans that the host creates on this thread in between are
 * also children of the operation's span.
 */
final class ControllerSpans implements ControllerEvent.Listener {

  private final RpcSpans calls;
  private final OpenSpans spans;
  private final OpenOperations open;
  private final NewestContexts callers = new NewestContexts();
  private final Map<OperationId, Scope> scopes = new ConcurrentHashMap<>();
  private final Map<OperationId, Span> waits = new ConcurrentHashMap<>();

  private ControllerSpans(RpcSpans calls, OpenSpans spans) {
    this.calls = calls;
    this.spans = spans;
    this.open = new OpenOperations(spans);
  }

  /**
   * Creates the listener. This method is in this class, so that the entry point can be loaded
   * without the controller module.
   */
  static ControllerEvent.Listener listener(RpcSpans calls, OpenSpans spans) {
    return new ControllerSpans(calls, spans);
  }

  @Override
  public void asked(OperationId operation) {
    if (spans.isOpen()) {
      callers.note(operation.value());
    }
  }

  @Override
  public void on(ControllerEvent event) {
    if (event instanceof ControllerEvent.Started started) {
      begin(started);
    } else if (event instanceof ControllerEvent.Called called) {
      called(called);
    } else if (event instanceof ControllerEvent.Waiting waiting) {
      begin(waiting);
    } else if (event instanceof ControllerEvent.Waited waited) {
      end(waited);
    } else if (event instanceof ControllerEvent.Ended ended) {
      end(ended);
    }
  }

  @SuppressWarnings("MustBeClosedChecker") // Closed when the end is reported, on the same thread.
  private void begin(ControllerEvent.Started started) {
    if (!spans.isOpen()) {
      return;
    }
    Context caller = callers.take(started.id().value());
    Begun begun =
        open.begin(
            started.id(),
            () -> {
              SpanBuilder span =
                  calls
                      .tracer()
                      .spanBuilder(
                          "csi4j.controller." + started.operation().name().toLowerCase(Locale.ROOT))
                      .setParent(caller);
              started
                  .volume()
                  .ifPresent(volume -> span.setAttribute(SpanWords.VOLUME, volume.toString()));
              return new Begun(span.startSpan(), Instant.now());
            });
    scopes.put(started.id(), caller.with(begun.span()).makeCurrent());
  }

  /**
   * Creates a span for the time that an operation waits for another control plane. The span is a
   * child of the operation's span.
   */
  private void begin(ControllerEvent.Waiting waiting) {
    Begun parent = open.get(waiting.operation()).orElse(null);
    if (parent == null || !spans.isOpen()) {
      return;
    }
    Span span =
        calls
            .tracer()
            .spanBuilder("csi4j.controller.wait")
            .setParent(Context.root().with(parent.span()))
            .setAttribute(SpanWords.VOLUME, waiting.volume().toString())
            .setAttribute(SpanWords.CONTROL_PLANE, waiting.controlPlane())
            .startSpan();
    spans.add(span);
    waits.put(waiting.operation(), span);
  }

  private void end(ControllerEvent.Waited waited) {
    Span span = waits.remove(waited.waiting().operation());
    if (span != null) {
      spans.remove(span);
      span.end();
    }
  }

  @Override
  public WorkContext calling(ControllerEvent.Started operation, CsiOperation call) {
    Begun parent = open.get(operation.id()).orElse(null);
    if (parent == null || !spans.isOpen()) {
      return WorkContext.none();
    }
    Span span = calls.of(call, Context.root().with(parent.span()), Optional.empty()).startSpan();
    open.add(operation.id(), call, new Begun(span, Instant.now()));
    return CallScope.of(span);
  }

  private void called(ControllerEvent.Called called) {
    open.take(called.operation(), called.call())
        .ifPresent(
            call -> {
              spans.remove(call.span());
              call.span().setAttribute(SpanWords.PLUGIN, called.plugin().value());
              call.span().setAttribute(SpanWords.SENT, called.isSent());
              calls.ended(call.span(), called.code(), called.isSent(), called.endpoint());
              call.span().end();
            });
  }

  private void end(ControllerEvent.Ended ended) {
    Scope scope = scopes.remove(ended.started().id());
    if (scope != null) {
      scope.close();
    }
    open.end(ended.started().id(), ended.failure(), Span::end);
  }
}
