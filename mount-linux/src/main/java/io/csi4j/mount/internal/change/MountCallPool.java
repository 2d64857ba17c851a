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
 * The bounded pool on which calls that may block are made, so that their callers wait no longer
 * than the deadline.
 *
 * <p>A call that is not waited for any more keeps its thread until the kernel gives it back. When
 * all threads are kept that way, new calls are refused at once. Threads that have nothing to do end
 * after some seconds, so a pool needs no closing.
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

  /** The work on the pool. */
  interface Work<T> {
    /**
     * Does the work.
     *
     * @param abandoned true as soon as the result is not waited for any more, so that going on is
     *     of no use
     */
    T run(BooleanSupplier abandoned);

    /** Whether {@link #undo} does something. */
    default boolean canUndo() {
      return false;
    }

    /**
     * Undoes what was done, on the same thread: it ended, and the result was not waited for any
     * more. What this throws is told to the thread's handler of uncaught exceptions.
     */
    default void undo(T result) {}
  }

  /**
   * Runs the work and waits for it, for the deadline of the settings and the extra time. What the
   * work throws is thrown here.
   *
   * @param doing what it is, for the message, such as {@code Unmounting /a}
   * @throws MountException also with {@link Reason#DEADLINE}, {@link Reason#STUCK} or {@link
   *     Reason#INTERRUPTED}
   */
  <T> T call(String doing, Duration extra, Work<T> work) {
    return call(doing, extra, work, () -> {});
  }

  /**
   * {@link #call(String, Duration, Work)} with an end.
   *
   * @param end told once, when the work was done or undone, or never will be
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
    // It ended in the very moment in which it was to be given up.
    try {
      return task.result.join();
    } catch (CompletionException e) {
      throw thrown(e);
    }
  }

  /** How many calls ran past their deadline and are still in the kernel. */
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
                  + ": the call is still in the kernel, as "
                  + number(stuck())
                  + " now, most likely because a filesystem does not answer. "
                  + afterwards(work)
                  + " Find out which server hangs; a forced unmount of it frees the call.")
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
                + " in calls that did not come back from the kernel. Find out which"
                + " server hangs; a forced unmount of it frees the calls.")
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
    return calls <= 1 ? "the only one" : calls + " are";
  }

  private static String seconds(long nanos) {
    return TimeUnit.NANOSECONDS.toMillis(nanos) / 1000.0 + " s";
  }

  /**
   * The sum of a time and one that is added or taken off; too long to matter if it is too large.
   */
  private static long sum(long time, long more) {
    return more > Long.MAX_VALUE - time ? Long.MAX_VALUE : time + more;
  }

  /** The nanoseconds of a time that is too long to matter if there are too many. */
  static long nanos(Duration duration) {
    try {
      return duration.toNanos();
    } catch (ArithmeticException e) {
      return Long.MAX_VALUE;
    }
  }

  /**
   * Returns the exception of the work, with the way to the caller instead of the way to the pool.
   */
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

  /** One call: {@code WAITING -> RUNNING -> ENDED}, unless it is abandoned first. */
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

    /** Gives it up unless it has ended; returns how far it was. */
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
