package io.csi4j.volume.claim.store;

import io.csi4j.volume.claim.spi.ClaimWatch;
import io.csi4j.volume.claim.spi.ClaimWatch.Change;
import io.csi4j.volume.claim.spi.Versioned;
import io.csi4j.volume.model.ReasonText;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Hands the writes of this process to the watchers. No writer waits for them. */
final class ClaimFeed {

  private static final int LONGEST = 10_000;

  private final Set<Follower> followers = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  ClaimWatch watch() {
    Follower follower = new Follower();
    followers.add(follower);
    if (closed) {
      follower.close();
    }
    return follower;
  }

  void tell(Versioned now) {
    followers.forEach(follower -> follower.tell(new Change.Written(now)));
  }

  void close() {
    closed = true;
    followers.forEach(Follower::close);
  }

  private final class Follower implements ClaimWatch {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition news = lock.newCondition();
    private final Deque<Change> changes = new ArrayDeque<>();
    private boolean over;

    void tell(Change change) {
      lock.lock();
      try {
        if (changes.size() >= LONGEST) {
          changes.clear();
          changes.add(
              new Change.Missed(new ReasonText("more than " + LONGEST + " writes were not taken")));
        }
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
      followers.remove(this);
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
