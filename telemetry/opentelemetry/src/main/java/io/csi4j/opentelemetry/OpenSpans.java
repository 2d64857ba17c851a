package io.csi4j.opentelemetry;

import io.opentelemetry.api.trace.Span;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/** The spans that have begun and not ended, so that the end of tracing leaves none open. */
final class OpenSpans {

  private final ReentrantLock lock = new ReentrantLock();
  private final IdentityHashMap<Span, Boolean> open = new IdentityHashMap<>();
  private boolean isClosed;

  /** Whether spans are begun. */
  boolean isOpen() {
    lock.lock();
    try {
      return !isClosed;
    } finally {
      lock.unlock();
    }
  }

  /** A span has begun; ends it at once if tracing is over. */
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

  /** A span is being ended. */
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
