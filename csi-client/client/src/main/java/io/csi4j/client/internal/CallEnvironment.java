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

/**
 * The environment of calls: the channel, the clock, random numbers and threads. Tests supply
 * virtual time.
 */
public interface CallEnvironment {

  /** The endpoint of the plugin. */
  CsiEndpoint endpoint();

  /** The options of the connection. */
  ConnectOptions options();

  /** The channel to the plugin. */
  Channel channel();

  /** Returns a number that changes whenever a connection is made or lost. */
  long generation();

  /**
   * Returns empty if a request can be sent now. If the last attempt to connect has failed, this
   * method immediately starts another attempt. The returned future completes when the new attempt
   * has succeeded or failed, or after the limit. Until then, gRPC would fail each request with the
   * old failure.
   */
  Optional<CompletableFuture<Void>> reconnecting(long limitNanos);

  /** Runs the actions of the host that depend on a call. */
  Executor callbacks();

  /** Runs work that may take a while, such as system calls. */
  Executor aside();

  /**
   * Runs a task on the I/O thread after the given time. The result can be cancelled at any time,
   * even after the connection has ended.
   *
   * @throws java.util.concurrent.RejectedExecutionException if the connection is closed
   */
  Future<?> later(long nanos, Runnable task);

  /** The clock for deadlines. */
  Deadline.Ticker clock();

  /** A source of random numbers in [0, 1). */
  DoubleSupplier random();

  /**
   * Returns the current problem with the socket, if there is one, or the problem that ended a call
   * after {@code elapsed}. May take some milliseconds.
   */
  Optional<CsiConnectException> diagnose(Duration elapsed);
}
