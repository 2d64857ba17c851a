package io.csi4j.client.internal.transport;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The threads on which actions of the host run: made when there is work, gone a few seconds after.
 * Unbounded, because an action may block for as long as it likes, and the next must not wait for
 * it. After closing, and when the machine gives no thread, tasks run where they are submitted: a
 * caller could wait for a dropped one.
 */
public final class CallbackThreads extends ThreadPoolExecutor {

  private static final int IDLE_SECONDS = 3;

  /** Those that have begun: the machine may refuse to start one. */
  private final Queue<Thread> threads = new ConcurrentLinkedQueue<>();

  public CallbackThreads() {
    super(0, Integer.MAX_VALUE, IDLE_SECONDS, TimeUnit.SECONDS, new SynchronousQueue<>());
    setThreadFactory(this::newThread);
  }

  @Override
  public void execute(Runnable task) {
    if (!isHandedOver(task)) {
      task.run();
    }
  }

  /** Whether a thread runs the task. */
  private boolean isHandedOver(Runnable task) {
    try {
      super.execute(task);
      return true;
    } catch (RejectedExecutionException | OutOfMemoryError noThread) {
      return false;
    }
  }

  /** Whether the current thread is one of these. */
  public boolean isCurrent() {
    return Thread.currentThread() instanceof CallbackThread thread && thread.owner() == this;
  }

  /** Waits until the last thread is gone, not just done. */
  @Override
  public boolean awaitTermination(long time, TimeUnit unit) throws InterruptedException {
    long limit = System.nanoTime() + unit.toNanos(time);
    boolean ended = super.awaitTermination(time, unit);
    for (Thread thread : threads) {
      TimeUnit.NANOSECONDS.timedJoin(thread, limit - System.nanoTime());
      ended &= !thread.isAlive();
    }
    return ended;
  }

  private Thread newThread(Runnable task) {
    threads.removeIf(thread -> thread.getState() == Thread.State.TERMINATED);
    return new CallbackThread(task);
  }

  private final class CallbackThread extends Thread {
    CallbackThread(Runnable task) {
      super(task);
      setName("csi4j-callback-" + getId());
      setDaemon(true);
    }

    @Override
    public void run() {
      threads.add(this);
      super.run();
    }

    CallbackThreads owner() {
      return CallbackThreads.this;
    }
  }
}
