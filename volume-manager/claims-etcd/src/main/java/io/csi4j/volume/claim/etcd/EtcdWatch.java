package io.csi4j.volume.claim.etcd;

import io.csi4j.client.internal.time.Backoff;
import io.csi4j.volume.internal.time.Scheduler;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.RecordStore.Watch.Change;
import io.csi4j.volume.store.StoreIdentity;
import io.csi4j.volume.store.shared.StoreMemory;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * Follows the changes of a space. If the connection is lost, the watch connects again and continues
 * at the revision after the last reported change. If etcd has discarded that revision, or if
 * another store answers, the watch reports missed changes and continues with new changes.
 *
 * <p>If the reader of the watch is too slow, the connection is closed, and opened again after the
 * reader has caught up. No change is missed.
 */
final class EtcdWatch implements RecordStore.Watch {

  private static final int LONGEST = 10_000;
  private static final Backoff PAUSES =
      Backoff.exact(Duration.ofMillis(100), Duration.ofSeconds(5));

  private final Etcd etcd;
  private final StoreMemory memory;
  private final Scheduler scheduler;
  private final RecordKey.Space space;
  private final Consumer<EtcdWatch> closed;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition news = lock.newCondition();
  private final Deque<Change> changes = new ArrayDeque<>();
  private StoreIdentity identity;
  private boolean isDoubted;
  private long from;
  private boolean lost;
  private boolean isFull;
  private boolean over;
  private int failures;

  /** The number of the current connection. Reports of earlier connections are ignored. */
  private int connection;

  private Optional<Runnable> following = Optional.empty();
  private Optional<Scheduler.Timer> waiting = Optional.empty();

  EtcdWatch(
      Etcd etcd,
      StoreMemory memory,
      Scheduler scheduler,
      RecordKey.Space space,
      long from,
      Consumer<EtcdWatch> closed) {
    this.space = space;
    this.etcd = etcd;
    this.memory = memory;
    this.scheduler = scheduler;
    this.from = from;
    this.closed = closed;
    this.identity = memory.identity();
    this.isDoubted = memory.uncertainty().isPresent();
  }

  /** Connects for the first time. */
  void begin() {
    scheduler.execute(this::connect);
  }

  @Override
  public Optional<Change> next(Duration wait) throws InterruptedException {
    long left = wait.toNanos();
    lock.lockInterruptibly();
    try {
      while (changes.isEmpty() && !over && left > 0) {
        left = news.awaitNanos(left);
      }
      Optional<Change> next = over ? Optional.empty() : Optional.ofNullable(changes.poll());
      if (isFull && changes.size() < LONGEST / 2) {
        isFull = false;
        scheduler.execute(this::connect);
      }
      return next;
    } finally {
      lock.unlock();
    }
  }

  /** Connects to etcd, on the thread of the scheduler, which may block. */
  private void connect() {
    int mine;
    lock.lock();
    try {
      if (over) {
        return;
      }
      mine = ++connection;
    } finally {
      lock.unlock();
    }
    try {
      long before = memory.reached();
      Etcd.Answer now = etcd.look();
      memory.saw(before, now.identity(), now.revision());
      take(mine, etcd.follow(space, begin(now), new Told(mine)));
    } catch (RuntimeException failure) {
      // Catches all exceptions of the client. If the watch ended here, its reader could not
      // distinguish this from a watch without changes.
      again(mine, false);
    }
  }

  /**
   * Returns the revision at which the connection begins. If changes were missed, reports this
   * first.
   */
  private long begin(Etcd.Answer now) {
    lock.lock();
    try {
      boolean isOther =
          !memory.identity().equals(identity)
              || memory.uncertainty().isPresent() != isDoubted
              || now.revision() + 1 < from;
      if (isOther) {
        missed("etcd has another identity than before, or was restored to an older state", now);
      } else if (lost) {
        missed("etcd has discarded a part of its history meanwhile", now);
      }
      identity = memory.identity();
      isDoubted = memory.uncertainty().isPresent();
      lost = false;
      return from;
    } finally {
      lock.unlock();
    }
  }

  private void missed(String because, Etcd.Answer now) {
    from = now.revision() + 1;
    changes.add(new Change.Missed(new ReasonText(because)));
    news.signalAll();
  }

  private void take(int mine, Runnable made) {
    lock.lock();
    try {
      if (!over && mine == connection) {
        following = Optional.of(made);
        return;
      }
    } finally {
      lock.unlock();
    }
    made.run();
  }

  /** Receives the reports of one connection. */
  private final class Told implements Etcd.Follower {
    private final int mine;

    Told(int mine) {
      this.mine = mine;
    }

    @Override
    public void told(long revision, List<Change> written) {
      lock.lock();
      try {
        if (over || mine != connection) {
          return;
        }
        if (!changes.isEmpty() && changes.size() + written.size() > LONGEST) {
          isFull = true;
          disconnect();
          return;
        }
        changes.addAll(written);
        news.signalAll();
        from = revision + 1;
        failures = 0;
      } finally {
        lock.unlock();
      }
      memory.reached(revision);
    }

    @Override
    public void ended(boolean isCompacted) {
      again(mine, isCompacted);
    }
  }

  /** Connects again after a pause, unless the watch already has a newer connection. */
  private void again(int mine, boolean isCompacted) {
    lock.lock();
    try {
      if (over || mine != connection) {
        return;
      }
      lost |= isCompacted;
      disconnect();
      waiting = Optional.of(scheduler.after(PAUSES.pause(++failures), this::connect));
    } finally {
      lock.unlock();
    }
  }

  /**
   * Closes the connection on another thread, because the current thread may hold locks of the
   * client.
   */
  private void disconnect() {
    connection++;
    following.ifPresent(scheduler::execute);
    following = Optional.empty();
  }

  @Override
  public void close() {
    Optional<Runnable> last;
    lock.lock();
    try {
      over = true;
      waiting.ifPresent(Scheduler.Timer::cancel);
      last = following;
      following = Optional.empty();
      changes.clear();
      news.signalAll();
    } finally {
      lock.unlock();
    }
    last.ifPresent(Runnable::run);
    closed.accept(this);
  }
}
