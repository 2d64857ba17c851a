package io.csi4j.volume.internal.time;

import java.lang.System.Logger;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs tasks one at a time, in order, on the scheduler. If the scheduler accepts no work because it
 * is closed or memory is exhausted, tasks run on the thread that adds them.
 *
 * <p>If a task throws, the exception is passed to the failure handler, and the next task runs. If
 * the handler also throws, it receives the same failure again after a pause, until it returns
 * normally. No other task runs before that.
 */
public final class Mailbox {

  private static final Logger LOG = System.getLogger("io.csi4j.volume");
  private static final Duration AGAIN = Duration.ofSeconds(1);
  private static final long WITHOUT_MEMORY = TimeUnit.MILLISECONDS.toNanos(10);

  private final Scheduler scheduler;
  private final Consumer<Throwable> broken;
  private final Runnable drain = this::drain;
  private final ReentrantLock lock = new ReentrantLock();
  private @Nullable Queue<Runnable> waiting;

  /** True from the time a drain is scheduled until the queue is empty. */
  private boolean running;

  /**
   * Whether a thread is draining the queue. Unlike {@code running}, it is false while a drain is
   * only scheduled.
   */
  private boolean draining;

  private boolean closed;

  /** The failure that the handler must receive again. Only the draining thread uses this field. */
  private @Nullable Throwable unhandled;

  /**
   * Creates an empty mailbox.
   *
   * @param broken the failure handler
   */
  public Mailbox(Scheduler scheduler, Consumer<Throwable> broken) {
    this.scheduler = scheduler;
    this.broken = broken;
  }

  /**
   * Adds a task, which runs after all earlier tasks. After the mailbox is closed, the task is
   * ignored.
   */
  public void put(Runnable work) {
    lock.lock();
    try {
      if (closed) {
        return;
      }
      if (waiting == null) {
        waiting = new ArrayDeque<>(2);
      }
      waiting.add(work);
      if (running) {
        return;
      }
      running = true;
    } finally {
      lock.unlock();
    }
    try {
      scheduler.execute(drain);
    } catch (RuntimeException | Error refused) {
      Failures.rethrowEnd(refused);
      drain();
    }
  }

  /** Discards the tasks that have not begun, and ignores new tasks. */
  public void close() {
    lock.lock();
    try {
      closed = true;
      waiting = null;
    } finally {
      lock.unlock();
    }
  }

  private void drain() {
    if (!begins()) {
      return;
    }
    Throwable failure = unhandled;
    while (true) {
      if (failure != null && !isHandled(failure)) {
        if (isPutOff(failure)) {
          return;
        }
        LockSupport.parkNanos(WITHOUT_MEMORY);
        continue;
      }
      unhandled = null;
      Runnable work = next();
      if (work == null) {
        return;
      }
      failure = failureOf(work);
    }
  }

  private static @Nullable Throwable failureOf(Runnable work) {
    try {
      work.run();
      return null;
    } catch (RuntimeException | Error failure) {
      Failures.rethrowEnd(failure);
      return failure;
    }
  }

  private boolean isHandled(Throwable failure) {
    try {
      broken.accept(failure);
      return true;
    } catch (RuntimeException | Error again) {
      Failures.rethrowEnd(again);
      Failures.log(LOG, "The handling of a failure failed itself. Report this.", again);
      return false;
    }
  }

  /**
   * Schedules the drain again with the same failure. Returns false if the scheduler cannot accept
   * it, for example because memory is exhausted.
   */
  private boolean isPutOff(Throwable failure) {
    lock.lock();
    try {
      unhandled = failure;
      var unused = scheduler.after(AGAIN, drain);
      draining = false;
      return true;
    } catch (RuntimeException | Error refused) {
      Failures.rethrowEnd(refused);
      return false;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Marks the current thread as the draining thread. Returns false if another thread is already
   * draining.
   */
  private boolean begins() {
    lock.lock();
    try {
      boolean begins = !draining;
      draining = true;
      return begins;
    } finally {
      lock.unlock();
    }
  }

  private @Nullable Runnable next() {
    lock.lock();
    try {
      Runnable work = waiting == null ? null : waiting.poll();
      if (work == null) {
        waiting = null;
        running = false;
        draining = false;
      }
      return work;
    } finally {
      lock.unlock();
    }
  }
}
