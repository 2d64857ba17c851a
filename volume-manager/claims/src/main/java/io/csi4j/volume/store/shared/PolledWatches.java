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
 * Watches of a store whose server keeps a log of its last writes. Each watch polls the server at an
 * interval for the writes after the last reported write. If the log no longer contains some of
 * these writes, or if another store answers, the watch reports missed changes and continues with
 * new writes. A watch does not poll while too many of its changes are waiting to be read. If the
 * server cannot answer, the watch polls again after the interval.
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
   * Creates an object without watches.
   *
   * @param threads the prefix of the names of the polling threads
   * @param memory the memory of the store, which is updated with each answer of the server
   * @param interval the interval between two polls of a watch
   * @param server the name of the server for display, such as {@code the database}
   */
  public PolledWatches(
      String threads, StoreMemory memory, Duration interval, String server, Log log) {
    this.memory = Objects.requireNonNull(memory, "memory");
    this.interval = Objects.requireNonNull(interval, "interval");
    this.server = Objects.requireNonNull(server, "server");
    this.log = Objects.requireNonNull(log, "log");
    this.scheduler = new OnDemandThreads(threads, 1);
  }

  /** The server's log of its last writes. */
  @FunctionalInterface
  public interface Log {

    /**
     * Returns the writes of a space after a version, in the order of their versions.
     *
     * @param limit the maximum number of writes
     * @throws RecordStoreException if the server cannot answer now; the watch then polls again
     *     later
     */
    Writes after(RecordKey.Space space, long version, int limit);
  }

  /**
   * Some writes of a space, all read in one transaction.
   *
   * @param identity the identity of the store that answered
   * @param version the current version of the store
   * @param forgotten the version up to which the log no longer contains writes
   * @param upTo the version up to which the changes are complete; less than {@code version} if the
   *     log has more writes than the limit
   * @param changes the writes, in the order of their versions
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
   * Returns a watch of a space.
   *
   * @param version the version after which the watch begins, which is the current version of the
   *     store
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

    /** Polls the server once, on the thread of the scheduler, which may block. */
    private void ask() {
      boolean isMore = false;
      try {
        isMore = isTaken();
      } catch (RecordStoreException failure) {
        // The next answer will also contain the writes that were made in the meantime.
        isMore = false;
      } finally {
        later(isMore);
      }
    }

    /** Polls the server and processes its answer. Returns whether the log may have more writes. */
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
        missed(
            server + " has another identity than before, or was restored to an older " + "state",
            answer);
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
