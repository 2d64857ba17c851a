package io.csi4j.testkit.internal.server;

import io.csi4j.testkit.model.PluginClock;
import io.grpc.netty.shaded.io.netty.channel.EventLoop;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * A clock of real time. For a delay, the event loop of the server schedules the task, and then
 * passes it to the workers.
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
      // The server is closed, so its tasks no longer run.
    }
  }
}
