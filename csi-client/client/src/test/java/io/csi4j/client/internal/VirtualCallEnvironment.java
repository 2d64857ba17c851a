package io.csi4j.client.internal;

import io.csi4j.client.internal.transport.Connection;
import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.CsiConnectException;
import io.csi4j.client.model.CsiEndpoint;
import io.grpc.Channel;
import io.grpc.Deadline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.DoubleSupplier;

/**
 * A real connection with a clock that moves only when somebody would wait: a pause is over at once,
 * and has been noted.
 */
final class VirtualCallEnvironment implements CallEnvironment, AutoCloseable {

  private final Connection connection;
  private final ConnectOptions options;
  private final CsiEndpoint endpoint;
  private final AtomicLong nanos = new AtomicLong(1_000_000_000L);
  private volatile AtomicInteger untilJump = new AtomicInteger(Integer.MAX_VALUE);
  private volatile Duration jump = Duration.ZERO;
  private final List<Duration> pauses = Collections.synchronizedList(new ArrayList<>());
  private final Deadline.Ticker clock =
      new Deadline.Ticker() {
        @Override
        public long nanoTime() {
          if (untilJump.getAndDecrement() == 0) {
            nanos.addAndGet(jump.toNanos());
          }
          return nanos.get();
        }
      };
  private volatile double chance = 0.999_999_999;
  private volatile boolean alarmsRing = true;
  private volatile Executor aside;
  private final List<FutureTask<?>> held = Collections.synchronizedList(new ArrayList<>());

  VirtualCallEnvironment(CsiEndpoint endpoint, ConnectOptions options) {
    this.endpoint = endpoint;
    this.options = options;
    this.connection = Connection.open(endpoint, options, options.deadline());
    this.aside = connection.aside();
  }

  /** The pauses that calls have made, oldest first. */
  List<Duration> pauses() {
    return List.copyOf(pauses);
  }

  /** Lets time pass. */
  void pass(Duration time) {
    nanos.addAndGet(time.toNanos());
  }

  /** Lets time pass at once when the clock has been looked at so often. */
  void jump(Duration time, AtomicInteger looks) {
    jump = time;
    untilJump = looks;
  }

  /** What chance draws from now on. */
  void chance(double value) {
    chance = value;
  }

  /** Whether what is scheduled happens at once, or when {@link #ring} is called. */
  void alarmsRing(boolean ring) {
    alarmsRing = ring;
  }

  /** Nothing is sent or read until what this returns is run. */
  Runnable hold() {
    CompletableFuture<Void> held = new CompletableFuture<>();
    CompletableFuture<Void> released = new CompletableFuture<>();
    connection
        .loop()
        .execute(
            () -> {
              held.complete(null);
              released.join();
            });
    held.join();
    return () -> released.complete(null);
  }

  /** From now on, what would run aside waits in the list that this returns. */
  List<Runnable> holdAside() {
    List<Runnable> tasks = Collections.synchronizedList(new ArrayList<>());
    aside = tasks::add;
    return tasks;
  }

  /** From now on, the machine gives no thread to what would run aside. */
  void giveNoThread() {
    aside =
        task -> {
          throw new OutOfMemoryError("unable to create native thread");
        };
  }

  /** Lets what was held back happen now. */
  void ring() throws Exception {
    List<FutureTask<?>> due = List.copyOf(held);
    held.removeAll(due);
    for (FutureTask<?> alarm : due) {
      connection.loop().submit(alarm).get();
    }
  }

  @Override
  public CsiEndpoint endpoint() {
    return endpoint;
  }

  @Override
  public ConnectOptions options() {
    return options;
  }

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
    return connection.callbacks();
  }

  @Override
  public Executor aside() {
    return aside;
  }

  @Override
  public Future<?> later(long delay, Runnable task) {
    if (delay > 0) {
      pauses.add(Duration.ofNanos(delay));
    }
    FutureTask<?> alarm = new FutureTask<>(task, null);
    if (alarmsRing || delay == 0) {
      nanos.addAndGet(delay);
      connection.loop().execute(alarm);
    } else {
      held.add(alarm);
    }
    return alarm;
  }

  @Override
  public Deadline.Ticker clock() {
    return clock;
  }

  @Override
  public DoubleSupplier random() {
    return () -> chance;
  }

  @Override
  public Optional<CsiConnectException> diagnose(Duration elapsed) {
    return Optional.empty();
  }

  @Override
  public void close() {
    connection.close();
  }
}
