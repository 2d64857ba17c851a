package io.csi4j.volume.internal.journal;

import io.csi4j.volume.state.StateEvent;
import io.csi4j.volume.state.StateKey;
import io.csi4j.volume.state.StateStore.Durability;
import io.csi4j.volume.state.StateStore.Stored;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The turns of a journal's writers. One writer at a time has the turn and writes for all waiting
 * writers, so that they share a sync. After that, it does other work that is due, for which none of
 * them waits.
 */
final class WriteTurns {

  private final ReentrantLock lock = new ReentrantLock();
  private final Queue<Write> waiting = new ConcurrentLinkedQueue<>();
  private final Consumer<List<Write>> writer;
  private final BooleanSupplier isMoreDue;
  private final Consumer<List<StateEvent>> more;

  /**
   * The first argument completes all given writes in order, and throws nothing; the last is the
   * other work, whose events are reported by the caller that does it.
   */
  WriteTurns(
      Consumer<List<Write>> writer, BooleanSupplier isMoreDue, Consumer<List<StateEvent>> more) {
    this.writer = writer;
    this.isMoreDue = isMoreDue;
    this.more = more;
  }

  /** Returns when the write has ended. An interrupt does not end the wait, and stays set. */
  void await(Write mine) {
    waiting.add(mine);
    boolean interrupted = false;
    while (!mine.isDone()) {
      if (lock.tryLock()) {
        List<Write> all = new ArrayList<>();
        try {
          writeWaiting(all);
          if (isMoreDue.getAsBoolean()) {
            all.forEach(Write::wake);
            all.clear();
            more.accept(mine.events);
          }
        } finally {
          // The next writers start before the callers of these writes are notified.
          end();
        }
        all.forEach(Write::wake);
      } else {
        // The writer that has the turn wakes this thread when its write is done or the turn is
        // free.
        LockSupport.park(this);
        interrupted |= Thread.interrupted();
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void writeWaiting(List<Write> all) {
    for (Write next = waiting.poll(); next != null; next = waiting.poll()) {
      all.add(next);
    }
    if (!all.isEmpty()) {
      writer.accept(all);
    }
  }

  /** Waits for a turn for other work. */
  void begin() {
    lock.lock();
  }

  /** Ends a turn, and wakes one of the writers that have arrived meanwhile. */
  void end() {
    lock.unlock();
    Write next = waiting.peek();
    if (next != null) {
      next.wake();
    }
  }

  /** A change with a waiting caller, which may be written by another caller. */
  static final class Write {

    final @Nullable StateKey key;
    final Entry change;

    private final Durability durability;

    /** The events that its caller reports. */
    final List<StateEvent> events = new ArrayList<>();

    private final Thread caller = Thread.currentThread();
    private @Nullable Stored stored;
    private @Nullable Throwable failure;
    private volatile boolean done;

    /** Creates a change of this key, if it has one, for which the current thread waits. */
    Write(@Nullable StateKey key, Entry change, Durability durability) {
      this.key = key;
      this.change = change;
      this.durability = durability;
    }

    /** Whether the write is refused unless it is on the medium. */
    boolean isTaking() {
      return durability == Durability.REQUIRED;
    }

    /** Whether the caller does not wait for the medium. */
    boolean isDeferred() {
      return durability == Durability.DEFERRED;
    }

    boolean isDone() {
      return done;
    }

    void done(Stored how) {
      stored = how;
      done = true;
    }

    /** Ends the write with a failure, if it has not ended. */
    void failed(Throwable why) {
      if (!done) {
        failure = why;
        done = true;
      }
    }

    /** Wakes the caller. */
    void wake() {
      LockSupport.unpark(caller);
    }

    /** Returns the result, or throws the failure. */
    Stored result() {
      if (failure instanceof Error error) {
        throw error;
      }
      if (failure instanceof RuntimeException refused) {
        throw refused;
      }
      return Objects.requireNonNull(stored, "stored");
    }
  }
}
