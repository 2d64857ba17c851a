package io.csi4j.opentelemetry;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.volume.model.OperationId;
import io.csi4j.volume.model.OperatorMessage;
import io.opentelemetry.api.trace.Span;
import java.time.Instant;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The operations in progress, each with its calls in progress. The end of an operation may never be
 * reported, because events can be dropped. So the number of operations is bounded: the oldest
 * operations are ended and removed.
 */
final class OpenOperations {

  private static final int MOST = 10_000;

  private final OpenSpans spans;
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<OperationId, Open> open = new LinkedHashMap<>();

  OpenOperations(OpenSpans spans) {
    this.spans = spans;
  }

  /**
   * A span that has begun.
   *
   * @param began the start time
   */
  record Begun(Span span, Instant began) {}

  private record Open(Begun operation, Map<CsiOperation, Begun> calls) {}

  /**
   * Returns the span of an operation, and starts it if there is none. If two threads call this
   * method at the same time, only one span is started.
   */
  Begun begin(OperationId id, Supplier<Begun> how) {
    Optional<Open> eldest = Optional.empty();
    lock.lock();
    try {
      Open known = open.get(id);
      if (known != null) {
        return known.operation();
      }
      Begun begun = how.get();
      spans.add(begun.span());
      open.put(id, new Open(begun, new EnumMap<>(CsiOperation.class)));
      if (open.size() > MOST) {
        OperationId oldest = open.keySet().iterator().next();
        eldest = Optional.ofNullable(open.remove(oldest));
      }
      return begun;
    } finally {
      lock.unlock();
      eldest.ifPresent(this::end);
    }
  }

  /** Returns the span of an operation, if one is open. */
  Optional<Begun> get(OperationId id) {
    lock.lock();
    try {
      return Optional.ofNullable(open.get(id)).map(Open::operation);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Adds a call of an operation. If the same call is already open, ends the span of the earlier
   * call.
   */
  void add(OperationId id, CsiOperation call, Begun begun) {
    spans.add(begun.span());
    Optional<Begun> left;
    lock.lock();
    try {
      Open operation = open.get(id);
      left =
          operation == null
              ? Optional.of(begun)
              : Optional.ofNullable(operation.calls().put(call, begun));
    } finally {
      lock.unlock();
    }
    left.ifPresent(this::end);
  }

  /** Removes and returns the open call of an operation, if there is one; the caller must end it. */
  Optional<Begun> take(OperationId id, CsiOperation call) {
    lock.lock();
    try {
      return Optional.ofNullable(open.get(id))
          .flatMap(operation -> Optional.ofNullable(operation.calls().remove(call)));
    } finally {
      lock.unlock();
    }
  }

  /** Removes and returns the span of an operation, if one is open. Its open calls are ended. */
  private Optional<Begun> take(OperationId id) {
    Optional<Open> operation;
    lock.lock();
    try {
      operation = Optional.ofNullable(open.remove(id));
    } finally {
      lock.unlock();
    }
    operation.ifPresent(it -> it.calls().values().forEach(this::end));
    return operation.map(Open::operation);
  }

  /**
   * Ends an operation: records its result, and ends its span, if one is open, and its open calls.
   *
   * @param end ends the span itself
   */
  void end(OperationId id, Optional<OperatorMessage> failure, Consumer<Span> end) {
    take(id)
        .map(Begun::span)
        .ifPresent(
            span -> {
              spans.remove(span);
              SpanWords.ended(
                  span, failure.map(message -> message.code().name()).orElse(SpanWords.OK));
              end.accept(span);
            });
  }

  /** Removes all operations. */
  void clear() {
    lock.lock();
    try {
      open.clear();
    } finally {
      lock.unlock();
    }
  }

  int size() {
    lock.lock();
    try {
      return open.size();
    } finally {
      lock.unlock();
    }
  }

  private void end(Open operation) {
    operation.calls().values().forEach(this::end);
    end(operation.operation());
  }

  private void end(Begun begun) {
    spans.remove(begun.span());
    begun.span().end();
  }
}
