package io.csi4j.testkit.internal.server;

import io.csi4j.testkit.model.PluginClock;
import io.grpc.netty.shaded.io.netty.channel.EventLoop;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * Real time. The event loop of a server waits for a delay, and then passes the task to the workers.
 */
record RealClock(EventLoop loop, Executor workers) implements PluginClock {

  @Override
  public Instant now() {
    return Instant.now();
  }

  @Override
  public void after(Duration delay, Runnable work) {
    try {
      var unused =
          loop.schedule(() -> workers.execute(work), delay.toNanos(), TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException e) {
      if (!loop.isShuttingDown()) {
        throw e;
      }
      // The server is closed: none of its tasks are due any more.
    }
  }
}
