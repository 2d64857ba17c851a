package io.csi4j.client.internal;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Runs tasks one after the other on threads of another executor, in the order they came; each sees
 * what the ones before it did. Never runs one where it was submitted, unless that executor does.
 */
final class TaskQueue implements Executor {

  private final Executor threads;
  private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();
  private final AtomicLong unfinished = new AtomicLong();

  TaskQueue(Executor threads) {
    this.threads = threads;
  }

  /** Puts {@code task}, which must not throw, behind the others. */
  @Override
  public void execute(Runnable task) {
    waiting.add(task);
    if (unfinished.getAndIncrement() == 0) {
      threads.execute(this::drain);
    }
  }

  private void drain() {
    do {
      Runnable task = waiting.poll();
      if (task != null) {
        task.run();
      }
    } while (unfinished.decrementAndGet() > 0);
  }
}
