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
 * Where events go in and come out to the flight recorder and to listeners. Going in never blocks,
 * and no listener harms a volume or another listener.
 */
public final class EventHub implements Consumer<VolumeEvent>, AutoCloseable {

  private static final System.Logger LOG = System.getLogger("io.csi4j.volume");

  /** The operations that were told to begin, and whose end was not told yet. */
  private final Map<OperationId, Begun> begun = new ConcurrentHashMap<>();

  private volatile boolean isAbandoned;

  private final RecentMessages recent = new RecentMessages();
  private final ListenerHub hub = new ListenerHub("volume events", "csi4j-volume-events");
  private final List<Listening<VolumeEvent>> listeners;
  private final List<VolumeEvent.Listener> asked;

  /** Whether there is no listener, and what operators have to know is logged. */
  private final boolean isLogged;

  private final AtomicBoolean hasAskedFailed = new AtomicBoolean();
  private final Duration closing;

  /**
   * An operation that was told to begin.
   *
   * @param since when, in nanoseconds
   * @param recording what the flight recorder will be given, while it records
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
   * Takes events for these listeners; where there is none, logs what an operator has to know.
   *
   * @param waiting how many events may wait for a listener
   * @param closing how long closing waits for them to take what still waits
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
        return; // Its end was told when it was abandoned.
      }
      finish(known, ended);
    }
    tell(event);
  }

  /**
   * Tells of all operations whose end was not told that they have ended: the manager ends without
   * them.
   *
   * @param why what is told of each
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

  /** Tells the listeners, here and now, that the caller on this thread asks for an operation. */
  public void asked(OperationId operation) {
    for (VolumeEvent.Listener listener : asked) {
      try {
        listener.asked(operation);
      } catch (Throwable failure) {
        LOG.log(
            hasAskedFailed.getAndSet(true) ? Level.DEBUG : Level.WARNING,
            "A listener of volume events failed when it was told that an operation is asked for."
                + " The operation goes on; further such failures are logged for debugging only."
                + " Repair the listener.",
            failure);
      }
    }
  }

  /** Returns the context in which the listeners want a call to be sent; asks them here and now. */
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

  /** Returns the newest messages of the events, the oldest first. */
  public List<RecentMessages.Told> recent() {
    return recent.all();
  }

  /** The listener where the host has none. */
  private static void log(VolumeEvent event) {
    message(event).ifPresent(Messages::log);
  }

  /** Whether an event brings a message that no caller of an operation is given as its failure. */
  private static boolean isForOperators(VolumeEvent event) {
    boolean isForCaller =
        event instanceof VolumeEvent.Ended ended
            && switch (ended.started().operation()) {
              case MOUNT, EXPAND, STATS, REFRESH -> true;
              // A release goes on when its caller has turned away.
              case UNMOUNT, CLEAN_UP, REPAIR -> false;
            };
    return !isForCaller && message(event).isPresent();
  }

  /** The message for an operator that an event brings, if it brings one. */
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
   * Takes no more events, and waits a bounded time until those that wait are told; for no listener
   * when it is a listener that closes. Closing twice does no harm.
   */
  @Override
  public void close() {
    hub.close(closing);
  }

  private static VolumeEvent notice(Throwable failure) {
    return new VolumeEvent.Noticed(
        Messages.of(
            OperatorCode.LISTENER_FAILED,
            Subject.of("telling a listener what happens"),
            "it threw " + failure.getClass().getName()));
  }
}
