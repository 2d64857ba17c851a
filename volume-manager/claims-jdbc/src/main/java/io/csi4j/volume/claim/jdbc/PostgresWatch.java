package io.csi4j.volume.claim.jdbc;

import io.csi4j.volume.internal.time.Scheduler;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.StoreIdentity;
import io.csi4j.volume.store.shared.StoreMemory;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * Follows what is written in a space: asks again and again what came behind the last that was
 * reported. Where the database has forgotten that, or is another store, the watch reports that some
 * was missed, and goes on with what is written from that moment. While the follower is slow, the
 * watch does not ask.
 */
final class PostgresWatch implements RecordStore.Watch {

  private static final int PAGE = 500;

  private final PostgresStore store;
  private final StoreMemory memory;
  private final Scheduler scheduler;
  private final RecordKey.Space space;
  private final Duration interval;
  private final Consumer<PostgresWatch> closed;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition news = lock.newCondition();
  private final Deque<Change> changes = new ArrayDeque<>();
  private StoreIdentity identity;
  private boolean isDoubted;
  private long told;
  private boolean over;
  private Optional<Scheduler.Timer> waiting = Optional.empty();

  /**
   * A watch that has not begun.
   *
   * @param told the version behind which it begins
   */
  PostgresWatch(
      PostgresStore store,
      StoreMemory memory,
      Scheduler scheduler,
      RecordKey.Space space,
      Duration interval,
      long told,
      Consumer<PostgresWatch> closed) {
    this.store = store;
    this.memory = memory;
    this.scheduler = scheduler;
    this.space = space;
    this.interval = interval;
    this.told = told;
    this.closed = closed;
    this.identity = memory.identity();
    this.isDoubted = memory.uncertainty().isPresent();
  }

  /** Asks for the first time, soon. */
  void begin() {
    scheduler.execute(this::ask);
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

  /** On the thread of the scheduler, which may wait for the database. */
  private void ask() {
    boolean isMore = false;
    try {
      isMore = isTaken();
    } catch (Database.Failure failure) {
      // The next one tells what was written meanwhile.
      isMore = false;
    } finally {
      later(isMore);
    }
  }

  /** Takes in what came; returns whether there may be more. */
  private boolean isTaken() {
    long from;
    lock.lock();
    try {
      if (over || changes.size() > PAGE) {
        return false;
      }
      from = told;
    } finally {
      lock.unlock();
    }
    long before = memory.reached();
    StoreRows answer = store.writtenAfter(space, from, PAGE);
    memory.saw(before, answer.identity(), answer.version());
    lock.lock();
    try {
      take(answer);
    } finally {
      lock.unlock();
    }
    return answer.rows().size() == PAGE;
  }

  private void take(StoreRows answer) {
    boolean isOther =
        !memory.identity().equals(identity)
            || memory.uncertainty().isPresent() != isDoubted
            || answer.version() < told;
    identity = memory.identity();
    isDoubted = memory.uncertainty().isPresent();
    if (isOther) {
      missed("the database is another one than it was, or has gone back", answer);
    } else if (answer.forgotten() > told) {
      missed("more was written than the database keeps for watches", answer);
    } else {
      answer.rows().forEach(row -> changes.add(row.change()));
      told = answer.rows().size() < PAGE ? answer.version() : answer.rows().get(PAGE - 1).version();
    }
    if (!changes.isEmpty()) {
      news.signalAll();
    }
  }

  private void missed(String because, StoreRows answer) {
    told = answer.version();
    changes.add(new Change.Missed(new ReasonText(because)));
  }

  private void later(boolean isMore) {
    lock.lock();
    try {
      if (!over) {
        waiting = Optional.of(scheduler.after(isMore ? Duration.ZERO : interval, this::ask));
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    lock.lock();
    try {
      over = true;
      waiting.ifPresent(Scheduler.Timer::cancel);
      changes.clear();
      news.signalAll();
    } finally {
      lock.unlock();
    }
    closed.accept(this);
  }
}
