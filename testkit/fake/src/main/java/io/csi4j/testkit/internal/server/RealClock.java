package io.csi4j.testkit.internal.server;

import io.csi4j.testkit.model.PluginClock;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Real time. Its one thread begins with the first delay, and only hands work on. */
final class RealClock implements PluginClock {

  private final Executor workers;
  private final OwnThreads threads;
  private @Nullable ScheduledThreadPoolExecutor timer;
  private boolean closed;
  private final Object guard = new Object();

  RealClock(Executor workers, ThreadFactory maker) {
    this.workers = workers;
    this.threads = new OwnThreads(maker);
  }

  @Override
  public Instant now() {
    return Instant.now();
  }

  @Override
  public void after(Duration delay, Runnable work) {
    synchronized (guard) {
      if (closed) {
        return;
      }
      ScheduledThreadPoolExecutor running = timer == null ? newTimer() : timer;
      timer = running;
      var unused =
          running.schedule(() -> workers.execute(work), delay.toNanos(), TimeUnit.NANOSECONDS);
    }
  }

  private ScheduledThreadPoolExecutor newTimer() {
    return new ScheduledThreadPoolExecutor(1, threads);
  }

  /** Forgets what is due later, and ends its thread. */
  void close() {
    ScheduledThreadPoolExecutor running;
    synchronized (guard) {
      closed = true;
      running = timer;
    }
    if (running != null) {
      running.shutdownNow();
      threads.awaitEnd();
    }
  }
}
