package io.csi4j.client.internal;

import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.CsiConnectException;
import io.csi4j.client.model.CsiEndpoint;
import io.grpc.Channel;
import io.grpc.Deadline;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.function.DoubleSupplier;

/** The ground of calls: a channel, time, chance and threads. Tests hand in their own time. */
public interface CallEnvironment {

  /** Where the plugin is. */
  CsiEndpoint endpoint();

  /** How calls are to behave. */
  ConnectOptions options();

  /** The way to the plugin. */
  Channel channel();

  /** Changes whenever a connection comes or goes. */
  long generation();

  /**
   * Nothing if a request can be sent now. If the last attempt to connect has failed, another is
   * made at once, and this completes when that has come to an end, good or bad, or the limit is
   * over: before, a request would only be told of the old failure.
   */
  Optional<CompletableFuture<Void>> reconnecting(long limitNanos);

  /** Runs what the host hangs on a call. */
  Executor callbacks();

  /** Runs what may take a while, such as system calls. */
  Executor aside();

  /**
   * Runs a task on the I/O thread once the time is over. The result can be cancelled at any time,
   * also after the connection has ended.
   *
   * @throws java.util.concurrent.RejectedExecutionException if the connection is closed
   */
  Future<?> later(long nanos, Runnable task);

  /** Tells the time. */
  Deadline.Ticker clock();

  /** Draws from [0, 1). */
  DoubleSupplier random();

  /**
   * Returns the trouble with the socket just now, if there is any, or what ended a call that took
   * so long. May take some milliseconds.
   */
  Optional<CsiConnectException> diagnose(Duration elapsed);
}
