package io.csi4j.conformance.claims;

import io.csi4j.volume.claim.spi.ClaimWatch;
import io.csi4j.volume.claim.spi.ClaimWatch.Change;
import io.csi4j.volume.claim.spi.Versioned;
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

  ClaimWatch watch() {
    Queue watch = new Queue();
    watches.add(watch);
    if (closed) {
      watch.close();
    }
    return watch;
  }

  void tell(Versioned now) {
    watches.forEach(watch -> watch.tell(new Change.Written(now)));
  }

  void close() {
    closed = true;
    watches.forEach(Queue::close);
  }

  private final class Queue implements ClaimWatch {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition news = lock.newCondition();
    private final Deque<Change> changes = new ArrayDeque<>();
    private boolean over;

    void tell(Change change) {
      lock.lock();
      try {
        changes.add(change);
        news.signal();
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
        return Optional.ofNullable(changes.poll());
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
