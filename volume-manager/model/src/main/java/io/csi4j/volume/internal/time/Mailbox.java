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
 * Runs what is put in one after the other, in order, where the scheduler runs its work. Where that
 * takes no work, as it is closed or the JVM has no memory for it, the work runs on the thread that
 * put it in.
 *
 * <p>What is thrown is handed to the handler of failures, and ends nothing. If the handler fails
 * too, it is given the same failure again after a pause, before anything else, until it returns.
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

  /** True from the moment at which a drain is handed over until the queue is empty. */
  private boolean running;

  /**
   * Whether a thread drains the queue; a drain that was handed over may be refused before it runs.
   */
  private boolean draining;

  private boolean closed;

  /** The failure that the handler could not handle yet; used by the draining thread only. */
  private @Nullable Throwable unhandled;

  /**
   * With nothing in it.
   *
   * @param broken the handler of failures
   */
  public Mailbox(Scheduler scheduler, Consumer<Throwable> broken) {
    this.scheduler = scheduler;
    this.broken = broken;
  }

  /** Runs it when everything before it has run; never once it is closed. */
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

  /** Forgets what has not begun, and takes nothing more. */
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
      Failures.log(LOG, "What was done about a failure failed itself; report this.", again);
      return false;
    }
  }

  /**
   * Schedules the drain again with the same failure; returns false if there is no memory for that.
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

  /** Returns whether this thread drains from now on; not while another one does. */
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
