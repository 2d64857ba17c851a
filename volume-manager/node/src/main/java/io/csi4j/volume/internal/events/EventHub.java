package io.csi4j.volume.internal.events;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.internal.time.GuardedContext;
import io.csi4j.volume.internal.time.ListenerHub;
import io.csi4j.volume.internal.time.ListenerHub.Listening;
import io.csi4j.volume.model.OperationId;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.WorkContext;
import io.csi4j.volume.node.VolumeEvent;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Passes events to the flight recorder and to listeners. Accepting an event never blocks, and a
 * faulty listener does not affect volumes or other listeners.
 */
public final class EventHub implements Consumer<VolumeEvent>, AutoCloseable {

  private static final System.Logger LOG = System.getLogger("io.csi4j.volume");

  /** The operations whose start was reported but whose end was not reported yet. */
  private final Map<OperationId, Begun> begun = new ConcurrentHashMap<>();

  private volatile boolean isAbandoned;

  private final RecentMessages recent = new RecentMessages();
  private final ListenerHub hub = new ListenerHub("volume events", "csi4j-volume-events");
  private final List<Listening<VolumeEvent>> listeners;
  private final List<VolumeEvent.Listener> asked;

  /** Whether the host has no listener, so the hub logs the events for operators. */
  private final boolean isLogged;

  private final AtomicBoolean hasAskedFailed = new AtomicBoolean();
  private final Duration closing;

  /**
   * An operation whose start was reported.
   *
   * @param since the time of the start, in nanoseconds
   * @param recording the event for the flight recorder; empty if the recorder was not recording
   */
  private record Begun(
      VolumeEvent.Started started, long since, Optional<VolumeOperationEvent> recording) {}

  private EventHub(List<VolumeEvent.Listener> listeners, int waiting, Duration closing) {
    this.closing = closing;
    this.asked = List.copyOf(listeners);
    isLogged = listeners.isEmpty();
    this.listeners =
        (isLogged ? List.<VolumeEvent.Listener>of(EventHub::log) : asked)
            .stream()
                .map(
                    each ->
                        hub.listen(
                            each::on, new EventQueue(waiting), failure -> accept(notice(failure))))
                .toList();
  }

  /**
   * Opens a hub for these listeners. If there are no listeners, the hub logs the events for
   * operators.
   *
   * @param waiting the maximum number of events that are queued for a listener
   * @param closing how long {@link #close} waits for listeners to receive the queued events
   */
  public static EventHub open(List<VolumeEvent.Listener> listeners, int waiting, Duration closing) {
    return new EventHub(listeners, waiting, closing);
  }

  @Override
  public void accept(VolumeEvent event) {
    if (event instanceof VolumeEvent.Started started) {
      begin(started);
    } else if (event instanceof VolumeEvent.Ended ended) {
      Begun known = begun.remove(ended.started().id());
      if (known == null && isAbandoned) {
        return; // The end of the operation was reported when it was abandoned.
      }
      finish(known, ended);
    }
    tell(event);
  }

  /**
   * Reports the end of all operations whose end was not reported yet, because the manager closes
   * before they have ended.
   *
   * @param why returns the message for an operation
   */
  public void abandon(Function<OperationId, OperatorMessage> why) {
    isAbandoned = true;
    for (OperationId id : List.copyOf(begun.keySet())) {
      Begun left = begun.remove(id);
      if (left != null) {
        VolumeEvent.Ended ended =
            new VolumeEvent.Ended(
                left.started(),
                Duration.ofNanos(System.nanoTime() - left.since()),
                Optional.of(why.apply(id)));
        finish(left, ended);
        tell(ended);
      }
    }
  }

  private void tell(VolumeEvent event) {
    message(event)
        .ifPresent(message -> recent.add(new RecentMessages.Told(Instant.now(), message)));
    if (!isLogged || isForOperators(event)) {
      listeners.forEach(each -> each.tell(event));
    }
  }

  /** Notifies the listeners, on the calling thread, that a caller requests an operation. */
  public void asked(OperationId operation) {
    for (VolumeEvent.Listener listener : asked) {
      try {
        listener.asked(operation);
      } catch (Throwable failure) {
        LOG.log(
            hasAskedFailed.getAndSet(true) ? Level.DEBUG : Level.WARNING,
            "A listener of volume events failed when it was notified of a requested operation."
                + " The operation continues; further such failures are logged for debugging "
                + "only. Fix the listener.",
            failure);
      }
    }
  }

  /**
   * Returns the context in which a call is sent. It combines the contexts that the listeners
   * return. The listeners are called on the calling thread.
   */
  public WorkContext calling(VolumeEvent.Started operation, CsiOperation call) {
    WorkContext all = WorkContext.none();
    for (VolumeEvent.Listener listener : asked) {
      try {
        WorkContext inner = all;
        WorkContext own = GuardedContext.of(listener.calling(operation, call));
        all = work -> own.run(() -> inner.run(work));
      } catch (Throwable failure) {
        LOG.log(
            hasAskedFailed.getAndSet(true) ? Level.DEBUG : Level.WARNING,
            "A listener of volume events failed when it was asked for the context of a call. The"
                + " call is sent; further such failures are logged for debugging only. Fix the"
                + " listener.",
            failure);
      }
    }
    return all;
  }

  /** Returns the latest messages of the events, the oldest first. */
  public List<RecentMessages.Told> recent() {
    return recent.all();
  }

  /** Logs the message of an event. Used as the listener if the host has none. */
  private static void log(VolumeEvent event) {
    message(event).ifPresent(Messages::log);
  }

  /**
   * Returns whether an event has a message that no caller receives as the failure of an operation.
   */
  private static boolean isForOperators(VolumeEvent event) {
    boolean isForCaller =
        event instanceof VolumeEvent.Ended ended
            && switch (ended.started().operation()) {
              case MOUNT, EXPAND, STATS, REFRESH -> true;
              // These operations continue in the background after a failure.
              case UNMOUNT, CLEAN_UP, REPAIR -> false;
            };
    return !isForCaller && message(event).isPresent();
  }

  /** Returns the message for an operator in an event, if the event has a message. */
  private static Optional<OperatorMessage> message(VolumeEvent event) {
    if (event instanceof VolumeEvent.Noticed noticed) {
      return Optional.of(noticed.message());
    } else if (event instanceof VolumeEvent.Ended ended) {
      return ended.failure();
    } else if (event instanceof VolumeEvent.VolumeHealthChanged changed) {
      return Optional.of(changed.message());
    } else if (event instanceof VolumeEvent.StorageHealthChanged changed) {
      return Optional.of(changed.message());
    }
    return Optional.empty();
  }

  private void begin(VolumeEvent.Started started) {
    VolumeOperationEvent operation = new VolumeOperationEvent();
    boolean isRecorded = operation.isEnabled();
    if (isRecorded) {
      operation.begin();
    }
    begun.put(
        started.id(),
        new Begun(
            started, System.nanoTime(), isRecorded ? Optional.of(operation) : Optional.empty()));
  }

  private static void finish(@Nullable Begun begun, VolumeEvent.Ended ended) {
    if (begun != null) {
      begun.recording().ifPresent(operation -> operation.finish(ended));
    }
  }

  /**
   * Accepts no more events, and waits a bounded time until the queued events are delivered. Does
   * not wait if a listener calls this method. Idempotent.
   */
  @Override
  public void close() {
    hub.close(closing);
  }

  private static VolumeEvent notice(Throwable failure) {
    return new VolumeEvent.Noticed(
        Messages.of(
            OperatorCode.LISTENER_FAILED,
            Subject.of("delivering events to a listener"),
            "it threw " + failure.getClass().getName()));
  }
}
