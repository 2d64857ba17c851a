package io.csi4j.volume.store.shared;

import io.csi4j.volume.internal.time.OnDemandThreads;
import io.csi4j.volume.internal.time.Scheduler;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordStore.Watch;
import io.csi4j.volume.store.RecordStoreException;
import io.csi4j.volume.store.StoreIdentity;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The watches of a store whose server keeps its last writes: each watch asks at an interval for the
 * writes behind the last that it has reported. Where the server has forgotten some of them, or is
 * another store, the watch reports that some were missed, and goes on with what is written from
 * that moment. While the follower of a watch is slow, the watch does not ask. A server that cannot
 * answer is asked again.
 *
 * @since 1.0
 */
public final class PolledWatches implements AutoCloseable {

  private static final int PAGE = 500;

  private final StoreMemory memory;
  private final Duration interval;
  private final String server;
  private final Log log;
  private final Scheduler scheduler;
  private final Set<Polled> watches = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  /**
   * No watches yet.
   *
   * @param threads what the names of their threads begin with
   * @param memory the memory of the store, which takes in what the server answers
   * @param interval how often a watch asks
   * @param server the server for people, such as {@code the database}
   */
  public PolledWatches(
      String threads, StoreMemory memory, Duration interval, String server, Log log) {
    this.memory = Objects.requireNonNull(memory, "memory");
    this.interval = Objects.requireNonNull(interval, "interval");
    this.server = Objects.requireNonNull(server, "server");
    this.log = Objects.requireNonNull(log, "log");
    this.scheduler = new OnDemandThreads(threads, 1);
  }

  /** The last writes, as the server keeps them. */
  @FunctionalInterface
  public interface Log {

    /**
     * Returns writes of a space behind a version, in their order.
     *
     * @param limit the number of them at most
     * @throws RecordStoreException if the server cannot answer now; it is asked again
     */
    Writes after(RecordKey.Space space, long version, int limit);
  }

  /**
   * Some writes, all of one moment.
   *
   * @param identity which store answered
   * @param version how far the store is
   * @param forgotten up to which version writes are no longer kept
   * @param upTo up to which version these are all writes of the space; less than the version if
   *     there are more
   * @param changes the writes
   */
  public record Writes(
      StoreIdentity identity, long version, long forgotten, long upTo, List<Watch.Change> changes) {

    /** Copies the list. */
    public Writes {
      Objects.requireNonNull(identity, "identity");
      changes = List.copyOf(changes);
    }
  }

  /**
   * Returns a watch on a space.
   *
   * @param version the version behind which it begins: how far the store is now
   */
  public Watch begin(RecordKey.Space space, long version) {
    Polled watch = new Polled(space, version);
    watches.add(watch);
    if (closed) {
      watch.close();
    } else {
      scheduler.execute(watch::ask);
    }
    return watch;
  }

  /** Ends all watches. */
  @Override
  public void close() {
    closed = true;
    watches.forEach(Polled::close);
  }

  private final class Polled implements Watch {

    private final RecordKey.Space space;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition news = lock.newCondition();
    private final Deque<Change> changes = new ArrayDeque<>();
    private StoreIdentity identity = memory.identity();
    private boolean isDoubted = memory.uncertainty().isPresent();
    private long reported;
    private boolean over;
    private Optional<Scheduler.Timer> waiting = Optional.empty();

    Polled(RecordKey.Space space, long reported) {
      this.space = space;
      this.reported = reported;
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

    /** On the thread of the scheduler, which may wait for the server. */
    private void ask() {
      boolean isMore = false;
      try {
        isMore = isTaken();
      } catch (RecordStoreException failure) {
        // The next answer has what was written meanwhile.
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
        from = reported;
      } finally {
        lock.unlock();
      }
      long before = memory.reached();
      Writes answer = log.after(space, from, PAGE);
      memory.saw(before, answer.identity(), answer.version());
      lock.lock();
      try {
        return !over && take(answer);
      } finally {
        lock.unlock();
      }
    }

    private boolean take(Writes answer) {
      boolean isOther =
          !memory.identity().equals(identity)
              || memory.uncertainty().isPresent() != isDoubted
              || answer.version() < reported;
      identity = memory.identity();
      isDoubted = memory.uncertainty().isPresent();
      if (isOther) {
        missed(server + " is another one than it was, or has gone back", answer);
      } else if (answer.forgotten() > reported) {
        missed("more was written than " + server + " keeps for watches", answer);
      } else {
        changes.addAll(answer.changes());
        reported = answer.upTo();
      }
      if (!changes.isEmpty()) {
        news.signalAll();
      }
      return reported < answer.version();
    }

    private void missed(String because, Writes answer) {
      reported = answer.version();
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
      watches.remove(this);
    }
  }
}
