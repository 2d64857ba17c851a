package io.csi4j.volume.internal.journal;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * The turns of writers of a journal: one at a time, and the writer whose turn it is writes for all
 * who wait, so that they share a sync.
 */
final class WriteTurns {

  private final ReentrantLock lock = new ReentrantLock();
  private final Queue<Write> waiting = new ConcurrentLinkedQueue<>();
  private final Consumer<List<Write>> writer;

  /** This one ends all the writes that it is given, in their order, and throws nothing. */
  WriteTurns(Consumer<List<Write>> writer) {
    this.writer = writer;
  }

  /** Returns when the write has ended. An interrupt does not end it, and stays set. */
  void await(Write mine) {
    waiting.add(mine);
    boolean interrupted = false;
    while (!mine.isDone()) {
      if (lock.tryLock()) {
        List<Write> all = new ArrayList<>();
        try {
          writeWaiting(all);
        } finally {
          // The next ones are on their way before these are told.
          end();
        }
        all.forEach(Write::wake);
      } else {
        // The writer that has the turn wakes it: when it is done, or when the turn is free.
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

  /** Waits for a turn for something else. */
  void begin() {
    lock.lock();
  }

  /** Ends a turn, and wakes one of those who came in the meantime to write. */
  void end() {
    lock.unlock();
    Write next = waiting.peek();
    if (next != null) {
      next.wake();
    }
  }
}
