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
 * The threads on which actions of the host run: made when there is work, gone a few seconds after.
 *
 * <p>One of them runs what waits, one task after the other, so that a stream of short actions wakes
 * no thread for each. A second one looks each millisecond whether the first gets on while something
 * waits. An action may block for as long as it likes: another thread then goes on in its place, and
 * of those there is no limit. If there is more to do than one thread can, others help, one for each
 * processor at most.
 *
 * <p>After closing, and when the machine gives no thread, tasks run where they are submitted: a
 * caller could wait for a dropped one.
 */
public final class CallbackThreads extends ThreadPoolExecutor {

  private static final int IDLE_SECONDS = 3;

  /** How long a task waits, at most about twice that, for one that blocks. */
  private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  /** After so many looks in a row at which nothing waits, they end. */
  private static final int QUIET_LOOKS = 20;

  private static final int MOST_HELPERS = Runtime.getRuntime().availableProcessors() - 1;

  /** Those that have begun: the machine may refuse to start one. */
  private final Queue<Thread> threads = new ConcurrentLinkedQueue<>();

  private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();

  /** Held by the thread that runs what waits; null if there is nothing to do. */
  private final AtomicReference<@Nullable Turn> turn = new AtomicReference<>();

  /** How many tasks were taken from those that waited. */
  private final AtomicLong taken = new AtomicLong();

  private final AtomicInteger helpers = new AtomicInteger();
  private final AtomicBoolean watched = new AtomicBoolean();
  private volatile boolean closed;

  /** The right of one thread to run what waits, until another one has it. */
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
    // Where no thread looks after it, and where closing has passed it by, it is run here.
    if ((!isLookedAfter || closed) && waiting.remove(task)) {
      task.run();
    }
  }

  /** Has a thread run what waits, unless one does by now; false if there is no thread. */
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
        // A task that came since this look found the turn taken, and began no thread.
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
   * Runs one. What it throws ends the thread; an interrupt that it leaves does not reach the next.
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

  /** Has a thread look whether what waits gets on, unless one does; false if there is none. */
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
        // What is behind one that blocks often blocks, too.
        pause = isStuck ? PATIENCE_NANOS / 10 : PATIENCE_NANOS;
        quiet = waits ? 0 : quiet + 1;
        waitedBefore = waits;
      }
      watched.set(false);
    } while (!closed && !waiting.isEmpty() && watched.compareAndSet(false, true));
  }

  /** Gives the turn to another thread; the next look tries again if there is none. */
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

  /** Has one more thread run what waits, until nothing does. */
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

  /** Gives each task that still waits a thread of its own; later ones run where they come from. */
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
