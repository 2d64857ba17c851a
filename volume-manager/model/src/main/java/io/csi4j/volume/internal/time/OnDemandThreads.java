package io.csi4j.volume.internal.time;

import java.util.concurrent.Executor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Daemon threads that are there only while they have something to do, and some seconds longer: one
 * for each piece of work at a time. After closing, work is refused.
 */
public final class OnDemandThreads implements Executor, AutoCloseable {

  private final ThreadPoolExecutor pool;

  /**
   * No thread yet.
   *
   * @param name what their names begin with
   */
  public OnDemandThreads(String name) {
    pool =
        new ThreadPoolExecutor(
            0,
            Integer.MAX_VALUE,
            2,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            new NamedThreads(name));
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
}
