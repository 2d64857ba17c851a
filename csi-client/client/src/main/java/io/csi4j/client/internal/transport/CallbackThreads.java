package io.csi4j.client.internal.transport;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The threads that run the host's actions: started when there is work, stopped a few seconds after.
 *
 * <p>One of them runs the waiting tasks, one after the other, so that a stream of short actions
 * does not wake a thread for each. While tasks wait, a second thread checks every millisecond
 * whether the first makes progress. An action may block for as long as it likes: another thread
 * then continues in its place, without a limit on the number of threads. If there is more work than
 * one thread can do, others help, at most one for each processor.
 *
 * <p>After closing, and when the machine cannot start a thread, tasks run on the submitting thread:
 * a caller might wait for a dropped task.
 */
public final class CallbackThreads extends ThreadPoolExecutor {

  private static final int IDLE_SECONDS = 3;

  /** Time that a task waits, at most about twice, behind one that blocks. */
  private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  /** Number of consecutive checks without waiting tasks after which the checks end. */
  private static final int QUIET_LOOKS = 20;

  private static final int MOST_HELPERS = Runtime.getRuntime().availableProcessors() - 1;

  /** The started threads: the machine may refuse to start one. */
  private final Queue<Thread> threads = new ConcurrentLinkedQueue<>();

  private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();

  /** Held by the thread that runs the waiting tasks; null if there is nothing to do. */
  private final AtomicReference<@Nullable Turn> turn = new AtomicReference<>();

  /** Number of tasks taken from the waiting ones. */
  private final AtomicLong taken = new AtomicLong();

  private final AtomicInteger helpers = new AtomicInteger();
  private final AtomicBoolean watched = new AtomicBoolean();
  private volatile boolean closed;

  /** The right of one thread to run the waiting tasks, until another thread takes over. */
  private static final class Turn {}

  public CallbackThreads() {
    super(0, Integer.MAX_VALUE, IDLE_SECONDS, TimeUnit.SECONDS, new SynchronousQueue<>());
    setThreadFactory(this::newThread);
  }

  @Override
  public void execute(Runnable task) {
    if (closed) {
      task.run();
      return;
    }
    waiting.add(task);
    boolean isLookedAfter = turn.get() == null ? begin() : watch();
    // If no thread watches the task, or closing has missed it, this thread runs the task.
    if ((!isLookedAfter || closed) && waiting.remove(task)) {
      task.run();
    }
  }

  /**
   * Starts a thread for the waiting tasks, unless one is running; returns false if there is no
   * thread.
   */
  private boolean begin() {
    Turn mine = new Turn();
    if (!turn.compareAndSet(null, mine)) {
      return watch();
    }
    if (isHandedOver(() -> runWhatWaits(mine))) {
      return true;
    }
    turn.compareAndSet(mine, null);
    return false;
  }

  private void runWhatWaits(Turn mine) {
    boolean isMine = true;
    while (isMine) {
      Runnable task = waiting.poll();
      if (task == null) {
        // A task that was added since this check found the turn taken, and started no thread.
        isMine =
            turn.compareAndSet(mine, null) && !waiting.isEmpty() && turn.compareAndSet(null, mine);
      } else {
        taken.incrementAndGet();
        run(task, mine);
        isMine = turn.get() == mine;
      }
    }
  }

  /**
   * Runs one task. An exception of the task ends the thread; an interrupt flag that it leaves does
   * not reach the next task.
   */
  private void run(Runnable task, Turn mine) {
    boolean ended = false;
    try {
      task.run();
      ended = true;
    } finally {
      if (!ended && turn.compareAndSet(mine, null) && !waiting.isEmpty()) {
        var unused = begin();
      }
    }
    if (!closed) {
      var unused = Thread.interrupted();
    }
  }

  /** Starts the watching thread, unless it is running; returns false if there is no thread. */
  private boolean watch() {
    if (watched.get() || !watched.compareAndSet(false, true)) {
      return true;
    }
    if (isHandedOver(this::lookUntilQuiet)) {
      return true;
    }
    watched.set(false);
    return false;
  }

  private void lookUntilQuiet() {
    do {
      int quiet = 0;
      long pause = PATIENCE_NANOS;
      boolean waitedBefore = false;
      while (quiet < QUIET_LOOKS && !closed) {
        Turn whose = turn.get();
        long before = taken.get();
        LockSupport.parkNanos(pause);
        boolean waits = !waiting.isEmpty();
        boolean isStuck = waits && taken.get() == before;
        if (isStuck) {
          goOnInPlaceOf(whose);
        } else if (waits && waitedBefore) {
          help();
        }
        // Tasks that wait behind a blocking one often block, too.
        pause = isStuck ? PATIENCE_NANOS / 10 : PATIENCE_NANOS;
        quiet = waits ? 0 : quiet + 1;
        waitedBefore = waits;
      }
      watched.set(false);
    } while (!closed && !waiting.isEmpty() && watched.compareAndSet(false, true));
  }

  /** Passes the turn to another thread; if there is none, the next check tries again. */
  private void goOnInPlaceOf(@Nullable Turn whose) {
    Turn next = new Turn();
    var unused =
        isHandedOver(
            () -> {
              if (turn.compareAndSet(whose, next)) {
                runWhatWaits(next);
              }
            });
  }

  /** Starts one more thread for the waiting tasks, until none is left. */
  private void help() {
    if (helpers.get() < MOST_HELPERS) {
      helpers.incrementAndGet();
      if (!isHandedOver(this::helpUntilNothingWaits)) {
        helpers.decrementAndGet();
      }
    }
  }

  private void helpUntilNothingWaits() {
    Turn none = new Turn();
    try {
      for (Runnable task = waiting.poll(); task != null; task = waiting.poll()) {
        taken.incrementAndGet();
        run(task, none);
      }
    } finally {
      helpers.decrementAndGet();
    }
  }

  /** Gives each waiting task its own thread; later tasks run on the submitting thread. */
  @Override
  public void shutdown() {
    closed = true;
    for (Runnable task = waiting.poll(); task != null; task = waiting.poll()) {
      if (!isHandedOver(task)) {
        task.run();
      }
    }
    super.shutdown();
  }

  /** Returns whether a thread runs the task. */
  private boolean isHandedOver(Runnable task) {
    try {
      super.execute(task);
      return true;
    } catch (RejectedExecutionException | OutOfMemoryError noThread) {
      return false;
    }
  }

  /** Returns whether the current thread is one of these threads. */
  public boolean isCurrent() {
    return Thread.currentThread() instanceof CallbackThread thread && thread.owner() == this;
  }

  /** Waits until the last thread has ended, not only its tasks. */
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
