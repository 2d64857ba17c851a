package io.csi4j.volume.internal.time;

import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Daemon threads that are there only while they have something to do, and some seconds longer: one
 * for each piece of work at a time, perhaps with a bound. After closing, work is refused.
 */
public final class OnDemandThreads implements Executor, AutoCloseable {

  private final ThreadPoolExecutor pool;

  /**
   * No thread yet, and no bound.
   *
   * @param name what their names begin with
   */
  public OnDemandThreads(String name) {
    this(0, Integer.MAX_VALUE, new SynchronousQueue<>(), name);
  }

  /**
   * No thread yet.
   *
   * @param name what their names begin with
   * @param most so many threads at most; further work waits in order
   */
  public OnDemandThreads(String name, int most) {
    this(most, most, new LinkedBlockingQueue<>(), name);
    pool.allowCoreThreadTimeOut(true);
  }

  private OnDemandThreads(int kept, int most, BlockingQueue<Runnable> waiting, String name) {
    pool = new ThreadPoolExecutor(kept, most, 2, TimeUnit.SECONDS, waiting, new NamedThreads(name));
  }

  @Override
  public void execute(Runnable work) {
    pool.execute(work);
  }

  /** Lets what has begun end, and begins nothing more. */
  @Override
  public void close() {
    pool.shutdown();
  }

  /**
   * Interrupts what has begun, and begins nothing more.
   *
   * @param limit how long the end of it is waited for
   */
  public void stop(Duration limit) {
    var unused = pool.shutdownNow();
    await(limit);
  }

  /** Waits until the last thread has ended, after closing. */
  void await(Duration limit) {
    try {
      var unused = pool.awaitTermination(limit.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
