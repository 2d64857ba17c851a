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
 * The requests for claims that wait until the claims of their volume change. All requests share one
 * watch of the store, which is open while at least one request waits. One of the waiting threads
 * reads the watch and wakes the threads that wait for a changed volume. When the reading thread
 * stops waiting, another thread continues reading.
 */
final class ClaimWaits {

  private final ReentrantLock lock = new ReentrantLock();
  private final Map<RecordKey, Volume> volumes = new HashMap<>();
  private @Nullable Watch watch;

  /** Signals that an attempt to open the watch has ended. */
  private final Condition opened = lock.newCondition();

  /**
   * The attempt of a thread to open the watch, which it makes without the lock; null if no thread
   * is opening the watch.
   */
  private @Nullable OpenCall opening;

  /** Whether a thread is reading the watch, which it does without the lock. */
  private boolean isRead;

  /** An attempt to open the watch. */
  private static final class OpenCall {

    /** The failure of the attempt, set before the attempt ends. */
    private @Nullable RuntimeException failure;
  }

  /** The requests that wait for one volume. Guarded by the lock. */
  private final class Volume {
    private final Condition wakes = lock.newCondition();
    private int waiting;

    /** Number of threads that wait for this volume while another thread reads the watch. */
    private int asleep;

    private long changes;

    void changed() {
      changes++;
      wakes.signalAll();
    }
  }

  /**
   * A waiting request, registered before it first reads the claims of its volume. Not thread-safe.
   */
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
     * Waits until the claims of the volume may have changed since the previous wait.
     *
     * @param nanos the maximum time to wait
     * @return whether to retry the request; false after an interrupt. If the watch was closed, the
     *     wait ends and the next request to the store fails
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

    /**
     * Reads one change, or waits for the thread that reads the watch. Returns whether the wait is
     * over.
     */
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

    /** Ends the wait. The last waiting request closes the watch. */
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
   * Begins to follow the claims of a volume. The returned place notices all changes from now on. If
   * the watch is not open, one thread opens it, and all other threads that call this method wait
   * for that thread. If the attempt fails, this method throws the failure in all these threads.
   *
   * @param opener opens the watch if it is not open; may block
   * @param nanos the maximum time to wait for another thread that is opening the watch
   * @return empty after the maximum time, or after an interrupt; the thread then stays interrupted
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

  /**
   * Waits for the end of another thread's attempt to open the watch. Returns whether the attempt
   * has ended, and throws its failure.
   */
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

  /** Processes the change that a thread has read, and ends the thread's reading. */
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

  /**
   * Wakes a waiting thread to continue reading the watch, unless another thread is already reading
   * it.
   */
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
