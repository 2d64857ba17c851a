package io.csi4j.volume.functional;

import io.csi4j.volume.internal.time.Clock;
import io.csi4j.volume.internal.time.Scheduler;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Time that passes as it does, and that a test can let skip: what falls due on the way is done at
 * once. Threads are real ones.
 */
final class SkippingTime implements Clock, Scheduler, AutoCloseable {

  private record Due(long at, long order, Runnable work) {}

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final PriorityQueue<Due> waiting =
      new PriorityQueue<>(Comparator.comparingLong(Due::at).thenComparingLong(Due::order));
  private final List<Duration> pauses = new ArrayList<>();
  private final ExecutorService workers;
  private final Thread alarm;
  private final AtomicReference<Random> chance = new AtomicReference<>();
  private final AtomicInteger working = new AtomicInteger();
  private long skipped;
  private long orders;
  private Duration wallJump = Duration.ZERO;
  private boolean closed;

  SkippingTime(int threads) {
    AtomicInteger numbers = new AtomicInteger();
    ThreadFactory factory =
        work -> {
          Thread thread = new Thread(work, "test-volume-" + numbers.incrementAndGet());
          thread.setDaemon(true);
          thread.setUncaughtExceptionHandler(SkippingTime::uncaught);
          return thread;
        };
    workers = Executors.newFixedThreadPool(threads, factory);
    alarm = factory.newThread(this::ring);
    alarm.start();
  }

  /** A thread of a process that was killed ends, and nobody is to worry. */
  private static void uncaught(Thread thread, Throwable failure) {
    if (!(failure instanceof Incarnation.Killed)) {
      System.getLogger("io.csi4j.volume.functional")
          .log(System.Logger.Level.ERROR, "The thread " + thread.getName() + " failed.", failure);
    }
  }

  @Override
  public long nanos() {
    lock.lock();
    try {
      return now();
    } finally {
      lock.unlock();
    }
  }

  private long now() {
    return System.nanoTime() + skipped;
  }

  @Override
  public Instant wall() {
    lock.lock();
    try {
      return Instant.EPOCH.plusNanos(skipped).plus(wallJump);
    } finally {
      lock.unlock();
    }
  }

  /** Sets the time of day forwards or back, as an administrator would. */
  void jumpWall(Duration by) {
    lock.lock();
    try {
      wallJump = wallJump.plus(by);
    } finally {
      lock.unlock();
    }
  }

  /** Lets this time pass at once. */
  void skip(Duration time) {
    lock.lock();
    try {
      skipped += time.toNanos();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Every pause that was asked for, in order. */
  List<Duration> pauses() {
    lock.lock();
    try {
      return List.copyOf(pauses);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void execute(Runnable work) {
    working.incrementAndGet();
    try {
      workers.execute(
          () -> {
            try {
              work.run();
            } finally {
              working.decrementAndGet();
            }
          });
    } catch (RejectedExecutionException e) {
      // A process that was killed does nothing any more.
      working.decrementAndGet();
    }
  }

  /** Whether nothing is due, and no thread has work. */
  boolean isIdle() {
    lock.lock();
    try {
      Due next = waiting.peek();
      return working.get() == 0 && (next == null || next.at() > now());
    } finally {
      lock.unlock();
    }
  }

  @Override
  public Timer after(Duration delay, Runnable work) {
    lock.lock();
    try {
      pauses.add(delay);
      Due due = new Due(now() + delay.toNanos(), orders++, work);
      waiting.add(due);
      changed.signalAll();
      return () -> forget(due);
    } finally {
      lock.unlock();
    }
  }

  private void forget(Due due) {
    lock.lock();
    try {
      waiting.remove(due);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public double random() {
    Random random = chance.get();
    return random == null ? 0.5 : random.nextDouble();
  }

  /** Draws random numbers from here from now on; before that they are all the same. */
  void drawFrom(Random random) {
    chance.set(random);
  }

  private void ring() {
    lock.lock();
    try {
      while (!closed) {
        Due next = waiting.peek();
        if (next == null) {
          changed.awaitUninterruptibly();
        } else if (next.at() - now() > 0) {
          long unused = changed.awaitNanos(next.at() - now());
        } else {
          waiting.remove();
          execute(next.work());
        }
      }
    } catch (InterruptedException e) {
      throw new AssertionError("Nobody interrupts the alarm.", e);
    } finally {
      lock.unlock();
    }
  }

  /** Stops at once; what waits is never done. */
  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      waiting.clear();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    var unused = workers.shutdownNow();
  }

  /** Waits until no thread of it runs any more. */
  boolean ended() throws InterruptedException {
    return workers.awaitTermination(10, TimeUnit.SECONDS);
  }
}
