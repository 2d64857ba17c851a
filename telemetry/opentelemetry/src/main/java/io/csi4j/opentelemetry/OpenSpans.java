package io.csi4j.opentelemetry;

import io.opentelemetry.api.trace.Span;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/** The open spans, so that the end of tracing can end all of them. */
final class OpenSpans {

  private final ReentrantLock lock = new ReentrantLock();
  private final IdentityHashMap<Span, Boolean> open = new IdentityHashMap<>();
  private boolean isClosed;

  /** Returns whether spans are created. */
  boolean isOpen() {
    lock.lock();
    try {
      return !isClosed;
    } finally {
      lock.unlock();
    }
  }

  /** Adds a span that has begun. Ends the span immediately if tracing has ended. */
  void add(Span span) {
    lock.lock();
    try {
      if (!isClosed) {
        open.put(span, true);
        return;
      }
    } finally {
      lock.unlock();
    }
    span.end();
  }

  /** Removes a span that is being ended. */
  void remove(Span span) {
    lock.lock();
    try {
      open.remove(span);
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

  void close() {
    List<Span> left;
    lock.lock();
    try {
      isClosed = true;
      left = new ArrayList<>(open.keySet());
      open.clear();
    } finally {
      lock.unlock();
    }
    left.forEach(Span::end);
  }
}
