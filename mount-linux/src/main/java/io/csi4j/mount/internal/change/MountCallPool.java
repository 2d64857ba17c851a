package io.csi4j.mount.internal.change;

import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountException.Reason;
import io.csi4j.mount.model.MountSettings;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;

/**
 * A bounded pool for calls that may block, so that their callers wait no longer than the deadline.
 *
 * <p>A call whose caller has given up keeps its thread until it returns from the kernel. When all
 * threads are occupied in this way, new calls are refused at once. Idle threads end after some
 * seconds, so a pool need not be closed.
 */
final class MountCallPool {

  private static final long IDLE_SECONDS = 5;

  private final MountSettings settings;
  private final ThreadPoolExecutor pool;
  private final AtomicInteger stuck = new AtomicInteger();

  MountCallPool(MountSettings settings) {
    this.settings = settings;
    AtomicInteger number = new AtomicInteger();
    pool =
        new ThreadPoolExecutor(
            settings.threads(),
            settings.threads(),
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            task -> {
              String name = "csi4j-mount-" + number.incrementAndGet();
              Thread thread = new Thread(null, task, name, 0, false);
              thread.setDaemon(true);
              return thread;
            });
    pool.allowCoreThreadTimeOut(true);
  }

  /** Work for the pool. */
  interface Work<T> {
    /**
     * Does the work.
     *
     * @param abandoned returns true as soon as the caller has given up, so that continuing is
     *     useless
     */
    T run(BooleanSupplier abandoned);

    /** Returns whether {@link #undo} does something. */
    default boolean canUndo() {
      return false;
    }

    /**
     * Undoes the work on the same thread, after it ended and the caller had given up. The thread's
     * handler of uncaught exceptions receives an exception of this method.
     */
    default void undo(T result) {}
  }

  /**
   * Runs the work and waits for it, for the deadline of the settings plus the extra time. Rethrows
   * an exception of the work.
   *
   * @param doing a description of the work for the message, such as {@code Unmounting /a}
   * @throws MountException also with {@link Reason#DEADLINE}, {@link Reason#STUCK} or {@link
   *     Reason#INTERRUPTED}
   */
  <T> T call(String doing, Duration extra, Work<T> work) {
    return call(doing, extra, work, () -> {});
  }

  /**
   * Does the same as {@link #call(String, Duration, Work)}, and reports the end.
   *
   * @param end runs once, when the work was done or undone, or never will be
   */
  <T> T call(String doing, Duration extra, Work<T> work, Runnable end) {
    long limit = sum(nanos(settings.deadline()), nanos(extra));
    Task<T> task = new Task<>(work, end);
    submit(doing, task);
    try {
      return task.result.get(limit, TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      throw thrown(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      State before = task.abandon();
      if (before != State.ENDED) {
        throw interrupted(doing, before, work);
      }
    } catch (TimeoutException e) {
      State before = task.abandon();
      if (before != State.ENDED) {
        throw late(doing, limit, before, work);
      }
    }
    // The work ended at the same moment as its time.
    try {
      return task.result.join();
    } catch (CompletionException e) {
      throw thrown(e);
    }
  }

  /** Returns the number of calls that passed their deadline and are still in the kernel. */
  int stuck() {
    return Math.max(0, stuck.get());
  }

  private void submit(String doing, Task<?> task) {
    boolean submitted = false;
    try {
      if (Thread.currentThread().isInterrupted()) {
        throw interrupted(doing, State.WAITING, task.work);
      }
      if (isFullOfStuck()) {
        throw full(doing);
      }
      pool.execute(task);
      submitted = true;
    } finally {
      if (!submitted) {
        task.end.run();
      }
    }
  }

  private boolean isFullOfStuck() {
    return stuck() >= settings.threads();
  }

  private MountException late(String doing, long limit, State before, Work<?> work) {
    if (before == State.RUNNING) {
      return MountException.builder(
              Reason.DEADLINE,
              doing
                  + " did not end within "
                  + seconds(limit)
                  + ": "
                  + number(stuck())
                  + " still in the kernel, most likely because a filesystem does not answer. "
                  + afterwards(work)
                  + " Find the mount whose server hangs; a forced unmount of it frees the call.")
          .build();
    }
    if (isFullOfStuck()) {
      return full(doing);
    }
    return MountException.builder(
            Reason.DEADLINE,
            doing
                + " did not begin within "
                + seconds(limit)
                + ": the calls before it took too long, for the same target or for "
                + allThreads()
                + ". Nothing was changed. Try again, or allow more threads in"
                + " MountSettings.")
        .build();
  }

  private MountException full(String doing) {
    return MountException.builder(
            Reason.STUCK,
            doing
                + " was not tried: "
                + allThreads()
                + (settings.threads() == 1 ? " is" : " are")
                + " in calls that did not return from the kernel. Find the mount"
                + " whose server hangs; a forced unmount of it frees the calls.")
        .build();
  }

  private String allThreads() {
    return settings.threads() == 1 ? "the only thread" : "all " + settings.threads() + " threads";
  }

  private static String afterwards(Work<?> work) {
    return work.canUndo()
        ? "Its effect will be undone when it ends."
        : "It may still take effect when it ends.";
  }

  private static MountException interrupted(String doing, State before, Work<?> work) {
    return MountException.builder(
            Reason.INTERRUPTED,
            doing
                + " was not waited for: this thread was interrupted. "
                + (before == State.RUNNING
                    ? "The call is still in the kernel. " + afterwards(work)
                    : "Nothing was changed."))
        .build();
  }

  private static String number(int calls) {
    return calls <= 1 ? "the call is" : calls + " calls, this one included, are";
  }

  private static String seconds(long nanos) {
    return TimeUnit.NANOSECONDS.toMillis(nanos) / 1000.0 + " s";
  }

  /** Returns the sum of two times, or the largest value instead of an overflow. */
  private static long sum(long time, long more) {
    return more > Long.MAX_VALUE - time ? Long.MAX_VALUE : time + more;
  }

  /** Returns the nanoseconds of a time, or the largest value instead of an overflow. */
  static long nanos(Duration duration) {
    try {
      return duration.toNanos();
    } catch (ArithmeticException e) {
      return Long.MAX_VALUE;
    }
  }

  /** Returns the exception of the work with the stack trace of the caller instead of the pool's. */
  private static RuntimeException thrown(Exception wrapped) {
    Throwable cause = Objects.requireNonNull(wrapped.getCause());
    StackTraceElement[] work = cause.getStackTrace();
    int last = work.length;
    for (int i = 0; i < work.length; i++) {
      if (work[i].getClassName().equals(Task.class.getName())) {
        last = i;
        break;
      }
    }
    StackTraceElement[] caller = new Throwable().getStackTrace();
    StackTraceElement[] whole = Arrays.copyOf(work, last + caller.length - 1);
    System.arraycopy(caller, 1, whole, last, caller.length - 1);
    cause.setStackTrace(whole);
    if (cause instanceof Error error) {
      throw error;
    }
    return (RuntimeException) cause;
  }

  private enum State {
    WAITING,
    RUNNING,
    ABANDONED,
    ENDED
  }

  /** One call: {@code WAITING -> RUNNING -> ENDED}, unless its caller gives up first. */
  private final class Task<T> implements Runnable {

    private final Work<T> work;
    private final Runnable end;
    private final AtomicReference<State> state = new AtomicReference<>(State.WAITING);
    private final CompletableFuture<T> result = new CompletableFuture<>();

    Task(Work<T> work, Runnable end) {
      this.work = work;
      this.end = end;
    }

    @Override
    public void run() {
      if (!state.compareAndSet(State.WAITING, State.RUNNING)) {
        return;
      }
      T value;
      try {
        value = work.run(() -> state.get() == State.ABANDONED);
      } catch (RuntimeException | Error e) {
        end.run();
        if (state.compareAndSet(State.RUNNING, State.ENDED)) {
          result.completeExceptionally(e);
        } else {
          stuck.decrementAndGet();
        }
        return;
      }
      if (state.compareAndSet(State.RUNNING, State.ENDED)) {
        end.run();
        result.complete(value);
        return;
      }
      try {
        work.undo(value);
      } finally {
        end.run();
        stuck.decrementAndGet();
      }
    }

    /** Abandons the call unless it has ended; returns its state before. */
    State abandon() {
      if (state.compareAndSet(State.WAITING, State.ABANDONED)) {
        pool.remove(this);
        end.run();
        return State.WAITING;
      }
      if (state.compareAndSet(State.RUNNING, State.ABANDONED)) {
        stuck.incrementAndGet();
        return State.RUNNING;
      }
      return State.ENDED;
    }
  }
}
