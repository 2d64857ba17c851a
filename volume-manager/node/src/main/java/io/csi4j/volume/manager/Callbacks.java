package io.csi4j.volume.manager;

import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The thread on which a host's actions run that hang on an operation: one, which is there only
 * while it has something to do. When the manager is closed they run where the operation ends.
 */
final class Callbacks implements Executor, AutoCloseable {

  private final ExecutorService thread;

  Callbacks() {
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(
            1,
            1,
            10,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            work -> {
              Thread made = new Thread(work, "csi4j-volume-callbacks");
              made.setDaemon(true);
              return made;
            });
    pool.allowCoreThreadTimeOut(true);
    thread = pool;
  }

  @Override
  public void execute(Runnable work) {
    try {
      thread.execute(work);
    } catch (RejectedExecutionException closed) {
      work.run();
    }
  }

  @Override
  public void close() {
    thread.shutdown();
  }
}
