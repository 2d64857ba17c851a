package io.csi4j.volume.store.local;

import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.store.RecordKey;
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

/**
 * Passes the changes of a store in this process to its watches. A writer does not wait for the
 * watches.
 */
final class ChangeFeed {

  private static final int LONGEST = 10_000;

  private final Set<Follower> followers = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  Watch watch(RecordKey.Space space) {
    Follower follower = new Follower(space);
    followers.add(follower);
    if (closed) {
      follower.close();
    }
    return follower;
  }

  void report(RecordKey.Space space, Change change) {
    followers.stream()
        .filter(follower -> follower.space == space)
        .forEach(follower -> follower.add(change));
  }

  void close() {
    closed = true;
    followers.forEach(Follower::close);
  }

  private final class Follower implements Watch {
    private final RecordKey.Space space;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition news = lock.newCondition();
    private final Deque<Change> changes = new ArrayDeque<>();
    private boolean over;

    Follower(RecordKey.Space space) {
      this.space = space;
    }

    void add(Change change) {
      lock.lock();
      try {
        if (over) {
          return;
        }
        if (changes.size() >= LONGEST) {
          changes.clear();
          changes.add(
              new Change.Missed(
                  new ReasonText("more than " + LONGEST + " writes were waiting to be read")));
        }
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
        changes.clear();
        news.signalAll();
      } finally {
        lock.unlock();
      }
    }
  }
}
