package io.csi4j.client.internal;

import io.csi4j.client.internal.transport.Connection;
import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.CsiConnectException;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.StatusCode;
import io.grpc.Channel;
import io.grpc.Deadline;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleSupplier;

/**
 * The environment of real calls: real time and randomness, and the channel and threads of a
 * connection.
 */
record ConnectionGround(CsiEndpoint endpoint, ConnectOptions options, Connection connection)
    implements CallEnvironment {

  @Override
  public Channel channel() {
    return connection.channel();
  }

  @Override
  public long generation() {
    return connection.generation();
  }

  @Override
  public Optional<CompletableFuture<Void>> reconnecting(long limitNanos) {
    return connection.reconnecting(limitNanos);
  }

  @Override
  public Executor callbacks() {
    return connection.callbacks(options);
  }

  @Override
  public Executor aside() {
    return connection.aside();
  }

  @Override
  public Future<?> later(long nanos, Runnable task) {
    return connection.loop().schedule(task, nanos, TimeUnit.NANOSECONDS);
  }

  @Override
  public Deadline.Ticker clock() {
    return Deadline.getSystemTicker();
  }

  @Override
  public DoubleSupplier random() {
    return () -> ThreadLocalRandom.current().nextDouble();
  }

  @Override
  public Optional<CsiConnectException> diagnose(Duration elapsed) {
    return Optional.of(connection.diagnose(StatusCode.UNAVAILABLE, elapsed));
  }
}
