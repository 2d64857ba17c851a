package io.csi4j.opentelemetry;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.context.Context;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Remembers the context of each task until the task ends. If there are too many contexts, the
 * oldest are dropped.
 */
final class NewestContexts {

  private static final int MOST = 1_000;

  private final ReentrantLock lock = new ReentrantLock();
  private final Map<Long, Context> contexts =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, Context> eldest) {
          return size() > MOST;
        }
      };

  /** Records the context of this thread, if it contains a trace. */
  void note(long id) {
    Context now = Context.current();
    if (!Span.fromContext(now).getSpanContext().isValid()) {
      return;
    }
    lock.lock();
    try {
      contexts.put(id, now);
    } finally {
      lock.unlock();
    }
  }

  /** Returns the recorded context, or a context without a trace. */
  Context get(long id) {
    lock.lock();
    try {
      return contexts.getOrDefault(id, Context.root());
    } finally {
      lock.unlock();
    }
  }

  /** Removes and returns the recorded context, or returns a context without a trace. */
  Context take(long id) {
    lock.lock();
    try {
      Context noted = contexts.remove(id);
      return noted == null ? Context.root() : noted;
    } finally {
      lock.unlock();
    }
  }

  int size() {
    lock.lock();
    try {
      return contexts.size();
    } finally {
      lock.unlock();
    }
  }
}
