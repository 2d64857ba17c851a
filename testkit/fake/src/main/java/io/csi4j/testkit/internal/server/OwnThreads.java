package io.csi4j.testkit.internal.server;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;

/**
 * A thread factory that can wait for the end of its threads. This class is needed because an
 * executor reports its termination a moment before its threads have ended.
 */
final class OwnThreads implements ThreadFactory {

  private static final long PATIENCE = TimeUnit.SECONDS.toNanos(1);

  private final ThreadFactory maker;
  private final Set<Thread> made = ConcurrentHashMap.newKeySet();

  OwnThreads(ThreadFactory maker) {
    this.maker = maker;
  }

  @Override
  public Thread newThread(Runnable task) {
    made.removeIf(thread -> thread.getState() == Thread.State.TERMINATED);
    Thread thread = maker.newThread(task);
    made.add(thread);
    return thread;
  }

  /**
   * Waits at most a second until all threads of this factory, except the calling thread, have
   * ended.
   */
  void awaitEnd() {
    long deadline = System.nanoTime() + PATIENCE;
    try {
      for (Thread thread : made) {
        long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
        if (left > 0 && thread != Thread.currentThread()) {
          thread.join(left);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
