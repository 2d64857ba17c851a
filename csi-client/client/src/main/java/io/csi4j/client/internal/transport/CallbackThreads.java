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
 * The threads that run the host's actions. A thread starts when there is work, and ends when it has
 * been idle for a few seconds.
 *
 * <p>One thread runs the waiting tasks one after the other, so that a series of short actions does
 * not wake a thread for each action. While tasks wait, a second thread checks every millisecond
 * whether the first thread makes progress. An action may block for any time: another thread then
 * runs the remaining tasks, and the number of threads is not limited. If there is more work than
 * one thread can do, more threads help, at most one for each processor.
 *
 * <p>After closing, and when the machine cannot start a thread, a task runs on the thread that
 * submits it. The task is not dropped, because a caller may wait for its result.
 */
public final class CallbackThreads extends ThreadPoolExecutor {

  private static final int IDLE_SECONDS = 3;

  /**
   * Interval of the checks. A task waits behind a blocking task for at most about two intervals.
   */
  private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  /** Number of consecutive checks that find no waiting task before the checks end. */
  private static final int QUIET_LOOKS = 20;

  private static final int MOST_HELPERS = Runtime.getRuntime().availableProcessors() - 1;

  /** The threads that have really started, because the machine may refuse to start a thread. */
  private final Queue<Thread> threads = new ConcurrentLinkedQueue<>();

  private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();

  /** The turn of the thread that runs the waiting tasks; null if no task waits. */
  private final AtomicReference<@Nullable Turn> turn = new AtomicReference<>();

  /** Number of tasks taken from the queue so far. */
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
    // If no thread will run the task, or if closing has missed the task, this thread runs it.
    if ((!isLookedAfter || closed) && waiting.remove(task)) {
      task.run();
    }
  }

  /**
   * Starts a thread for the waiting tasks, unless such a thread is running. Returns false if no
   * thread can be started.
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
        // A task may have been added after the queue was empty. Its submitter found the turn taken
        // and started no thread.
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
   * Runs one task. An exception of the task ends the thread. An interrupt flag that the task leaves
   * is cleared before the next task.
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

  /**
   * Starts the thread that checks for progress, unless it is running. Returns false if no thread
   * can be started.
   */
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
        // Tasks that wait behind a blocking task often block, too, so the next check comes sooner.
        pause = isStuck ? PATIENCE_NANOS / 10 : PATIENCE_NANOS;
        quiet = waits ? 0 : quiet + 1;
        waitedBefore = waits;
      }
      watched.set(false);
    } while (!closed && !waiting.isEmpty() && watched.compareAndSet(false, true));
  }

  /** Passes the turn to another thread. If no thread can be started, the next check tries again. */
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

  /** Starts one more thread, which runs waiting tasks until no task is left. */
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

  /** Returns whether a pool thread has accepted the task. */
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

  /** Waits until all threads have ended, and not only their tasks. */
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
