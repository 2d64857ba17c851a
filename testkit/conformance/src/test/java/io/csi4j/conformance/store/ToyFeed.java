package io.csi4j.conformance.store;

import io.csi4j.volume.store.RecordKey.Space;
import io.csi4j.volume.store.RecordStore.Watch;
import io.csi4j.volume.store.RecordStore.Watch.Change;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Hands the writes of a toy store to its watches, without a bound. */
final class ToyFeed {

  private final Set<Queue> watches = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  Watch watch(Space space) {
    Queue watch = new Queue(space);
    watches.add(watch);
    if (closed) {
      watch.close();
    }
    return watch;
  }

  void tell(Space space, Change change) {
    watches.stream().filter(watch -> watch.space == space).forEach(watch -> watch.tell(change));
  }

  void close() {
    closed = true;
    watches.forEach(Queue::close);
  }

  private final class Queue implements Watch {
    private final Space space;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition news = lock.newCondition();
    private final Deque<Change> changes = new ArrayDeque<>();
    private boolean over;

    Queue(Space space) {
      this.space = space;
    }

    void tell(Change change) {
      lock.lock();
      try {
        changes.add(change);
        news.signalAll();
      } finally {
        lock.unlock();
      }
    }

    @Override
    public Optional<Change> next(Duration wait) throws InterruptedException {
      long left = wait.toNanos();
      lock.lockInterruptibly();
      try {
        while (changes.isEmpty() && !over && left > 0) {
          left = news.awaitNanos(left);
        }
        return over ? Optional.empty() : Optional.ofNullable(changes.poll());
      } finally {
        lock.unlock();
      }
    }

    @Override
    public void close() {
      watches.remove(this);
      lock.lock();
      try {
        over = true;
        news.signalAll();
      } finally {
        lock.unlock();
      }
    }
  }
}
