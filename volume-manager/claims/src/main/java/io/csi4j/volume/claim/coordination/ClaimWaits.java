package io.csi4j.volume.claim.coordination;

import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordStore.Watch;
import io.csi4j.volume.store.RecordStore.Watch.Change;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The claims that wait for a change of their volume. All of them share one watch on the store,
 * which is open while at least one claim waits. One of the waiting threads reads the watch and
 * wakes the threads of a changed volume; when it stops waiting, another thread takes over.
 */
final class ClaimWaits {

  private final ReentrantLock lock = new ReentrantLock();
  private final Map<RecordKey, Volume> volumes = new HashMap<>();
  private @Nullable Watch watch;

  /** Signals that an opening of the watch has ended. */
  private final Condition opened = lock.newCondition();

  /** The opening that a thread is doing, without the lock; null if there is none. */
  private @Nullable OpenCall opening;

  /** Whether a thread is reading the watch, without the lock. */
  private boolean isRead;

  /** An opening of the watch. */
  private static final class OpenCall {

    /** The reason of its failure; set before the opening ends. */
    private @Nullable RuntimeException failure;
  }

  /** The claims that wait for one volume, guarded by the lock. */
  private final class Volume {
    private final Condition wakes = lock.newCondition();
    private int waiting;

    /** Number of its threads that wait for another thread to read the watch. */
    private int asleep;

    private long changes;

    void changed() {
      changes++;
      wakes.signalAll();
    }
  }

  /** A waiting claim, registered before its first request to the store. Not thread-safe. */
  final class Place implements AutoCloseable {
    private final RecordKey key;
    private final Volume volume;
    private long seen;

    private Place(RecordKey key, Volume volume) {
      this.key = key;
      this.volume = volume;
      this.seen = volume.changes;
    }

    /**
     * Waits until the claims of the volume may have changed since the last wait.
     *
     * @param nanos the maximum time
     * @return whether to retry: false after an interrupt. After the watch was closed, the wait
     *     ends, and the next request to its store fails
     */
    boolean await(long nanos) {
      long end = System.nanoTime() + nanos;
      try {
        boolean isOver = false;
        while (!isOver) {
          isOver = isOver(end);
        }
        return true;
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return false;
      } finally {
        handOver();
      }
    }

    /** Reads one change, or waits for the thread that reads; returns whether the wait is over. */
    private boolean isOver(long end) throws InterruptedException {
      Watch reading;
      long left = end - System.nanoTime();
      lock.lockInterruptibly();
      try {
        if (seen != volume.changes || left <= 0) {
          seen = volume.changes;
          return true;
        }
        if (isRead) {
          sleep(left);
          return false;
        }
        isRead = true;
        reading = Objects.requireNonNull(watch, "watch");
      } finally {
        lock.unlock();
      }
      Optional<Change> change = Optional.empty();
      try {
        change = reading.next(Duration.ofNanos(left));
      } finally {
        read(change);
      }
      return change.isEmpty();
    }

    private void sleep(long nanos) throws InterruptedException {
      long left = nanos;
      volume.asleep++;
      try {
        while (isRead && seen == volume.changes && left > 0) {
          left = volume.wakes.awaitNanos(left);
        }
      } finally {
        volume.asleep--;
      }
    }

    /** Ends the wait. The last waiting claim closes the watch. */
    @Override
    public void close() {
      Watch last = null;
      lock.lock();
      try {
        if (--volume.waiting == 0) {
          volumes.remove(key);
        }
        if (volumes.isEmpty()) {
          last = watch;
          watch = null;
        }
      } finally {
        lock.unlock();
      }
      if (last != null) {
        last.close();
      }
    }
  }

  /**
   * Begins to follow the claims of a volume. Changes from now on count. One thread opens the watch,
   * and others that need it meanwhile wait for that thread; if it fails, it fails for all of them.
   *
   * @param opener opens the watch if there is none; may block
   * @param nanos the maximum time to wait for another thread that opens the watch
   * @return empty after that time, or after an interrupt, whose flag stays set
   */
  Optional<Place> enter(RecordKey key, Supplier<Watch> opener, long nanos) {
    long end = System.nanoTime() + nanos;
    while (true) {
      OpenCall mine;
      lock.lock();
      try {
        if (watch != null) {
          return Optional.of(placed(key));
        }
        if (opening != null) {
          if (!hasEnded(opening, end)) {
            return Optional.empty();
          }
          continue;
        }
        mine = new OpenCall();
        opening = mine;
      } finally {
        lock.unlock();
      }
      open(mine, opener);
    }
  }

  private Place placed(RecordKey key) {
    Volume volume = volumes.computeIfAbsent(key, none -> new Volume());
    volume.waiting++;
    return new Place(key, volume);
  }

  /** Waits for the end of an opening; returns whether it has ended, and throws its failure. */
  private boolean hasEnded(OpenCall other, long end) {
    try {
      for (long left = end - System.nanoTime();
          opening == other && left > 0;
          left = end - System.nanoTime()) {
        var unused = opened.awaitNanos(left);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
    if (opening != other && other.failure != null) {
      throw other.failure;
    }
    return opening != other;
  }

  private void open(OpenCall mine, Supplier<Watch> opener) {
    Watch next = null;
    try {
      next = opener.get();
    } catch (RuntimeException failed) {
      mine.failure = failed;
      throw failed;
    } finally {
      ended(next);
    }
  }

  private void ended(@Nullable Watch next) {
    lock.lock();
    try {
      watch = next;
      opening = null;
      opened.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Processes a change that a thread has read. */
  private void read(Optional<Change> change) {
    lock.lock();
    try {
      isRead = false;
      change.ifPresent(this::take);
    } finally {
      lock.unlock();
    }
  }

  private void take(Change change) {
    if (change instanceof Change.Written written) {
      changed(written.now().key());
    } else if (change instanceof Change.Removed removed) {
      changed(removed.key());
    } else {
      volumes.values().forEach(Volume::changed);
    }
  }

  private void changed(RecordKey key) {
    Volume volume = volumes.get(key);
    if (volume != null) {
      volume.changed();
    }
  }

  /** Wakes a waiting thread, which reads the watch from now on, unless another thread reads it. */
  private void handOver() {
    lock.lock();
    try {
      if (!isRead) {
        volumes.values().stream()
            .filter(volume -> volume.asleep > 0)
            .findFirst()
            .ifPresent(volume -> volume.wakes.signal());
      }
    } finally {
      lock.unlock();
    }
  }
}
