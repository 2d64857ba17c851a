package io.csi4j.volume.controller;

import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.StatusCode;
import io.csi4j.volume.controller.ControllerEvent.Called;
import io.csi4j.volume.controller.ControllerEvent.Ended;
import io.csi4j.volume.controller.ControllerEvent.Operation;
import io.csi4j.volume.controller.ControllerEvent.Started;
import io.csi4j.volume.controller.ControllerEvent.Waited;
import io.csi4j.volume.controller.ControllerEvent.Waiting;
import io.csi4j.volume.internal.time.Clock;
import io.csi4j.volume.internal.time.GuardedContext;
import io.csi4j.volume.model.OperationId;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.WorkContext;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Reports the operations of one controller, and their calls, to its listeners. */
final class OperationReports {

  private static final System.Logger LOG = System.getLogger("io.csi4j.volume");

  private final List<ControllerEvent.Listener> listeners;
  private final Clock clock;
  private final AtomicLong ids = new AtomicLong();

  /** The operation that runs on this thread. */
  @SuppressWarnings("ThreadLocalUsage") // one for each controller; a thread removes what it sets
  private final ThreadLocal<@Nullable Started> running = new ThreadLocal<>();

  OperationReports(List<ControllerEvent.Listener> listeners, Clock clock) {
    this.listeners = List.copyOf(listeners);
    this.clock = clock;
  }

  /** Whether there is a listener. */
  boolean isOn() {
    return !listeners.isEmpty();
  }

  /** Reports that the caller on this thread requests an operation. */
  OperationId asked() {
    OperationId id = new OperationId(ids.incrementAndGet());
    tell(listener -> listener.asked(id));
    return id;
  }

  /**
   * Reports that an operation begins on this thread. Calls made by this thread until the end belong
   * to the operation.
   */
  Running begin(OperationId id, Operation operation, Optional<VolumeKey> volume) {
    Running begun = new Running(new Started(id, operation, volume));
    running.set(begun.started);
    tell(listener -> listener.on(begun.started));
    return begun;
  }

  /** The operation that runs on this thread, if any. */
  Optional<Started> running() {
    return Optional.ofNullable(running.get());
  }

  /** Returns the context in which the listeners want the call to be sent. */
  WorkContext calling(Started operation, CsiOperation call) {
    WorkContext all = WorkContext.none();
    for (ControllerEvent.Listener listener : listeners) {
      try {
        WorkContext inner = all;
        WorkContext own = GuardedContext.of(listener.calling(operation, call));
        all = work -> own.run(() -> inner.run(work));
      } catch (Throwable thrown) {
        failed(thrown);
      }
    }
    return all;
  }

  /** Reports that a call of an operation has ended. */
  void called(
      Started operation,
      PluginId plugin,
      CsiOperation call,
      StatusCode code,
      boolean isSent,
      long since,
      Optional<CsiEndpoint> endpoint) {
    Called event =
        new Called(
            operation.id(),
            plugin,
            call,
            code,
            isSent,
            Duration.ofNanos(clock.nanos() - since),
            endpoint);
    tell(listener -> listener.on(event));
  }

  /** Reports an event that belongs to no call. */
  void happened(ControllerEvent event) {
    tell(listener -> listener.on(event));
  }

  /**
   * Reports that this thread's operation waits for another control plane, until the wait is closed.
   * Reports nothing if the thread runs no operation.
   */
  Wait waiting(VolumeKey volume, String controlPlane) {
    Optional<Waiting> begun = running().map(it -> new Waiting(it.id(), volume, controlPlane));
    begun.ifPresent(this::happened);
    long since = clock.nanos();
    return () ->
        begun.ifPresent(it -> happened(new Waited(it, Duration.ofNanos(clock.nanos() - since))));
  }

  /** A wait that has begun on this thread. */
  @FunctionalInterface
  interface Wait extends AutoCloseable {

    /** Reports the end, on the same thread. */
    @Override
    void close();
  }

  long now() {
    return clock.nanos();
  }

  private void tell(Consumer<ControllerEvent.Listener> what) {
    for (ControllerEvent.Listener listener : listeners) {
      try {
        what.accept(listener);
      } catch (Throwable thrown) {
        // Also for an Error: the end of the operation must be reported.
        failed(thrown);
      }
    }
  }

  private static void failed(Throwable thrown) {
    LOG.log(
        System.Logger.Level.WARNING,
        "A ControllerEvent.Listener failed. The operation continues. Fix the listener.",
        thrown);
  }

  /** An operation that has begun on this thread. */
  final class Running {

    private final Started started;
    private final @Nullable Started outer;
    private final long since = clock.nanos();

    private Running(Started started) {
      this.started = started;
      this.outer = running.get();
    }

    /** Reports the end, on the same thread. */
    void ended(Optional<OperatorMessage> failure) {
      if (outer == null) {
        running.remove();
      } else {
        running.set(outer);
      }
      Ended event = new Ended(started, Duration.ofNanos(clock.nanos() - since), failure);
      tell(listener -> listener.on(event));
    }
  }
}
