package io.csi4j.volume.internal.events;

import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.node.VolumeEvent;
import io.csi4j.volume.node.VolumeListener;
import java.lang.System.Logger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * Where events go in and come out to the flight recorder and to listeners. Going in never blocks.
 * Each listener has a queue and a thread of its own, so that one that blocks or throws harms
 * neither a volume nor another listener.
 */
public final class EventHub implements Consumer<VolumeEvent>, AutoCloseable {

  private static final Logger LOG = System.getLogger(EventHub.class.getName());

  private final FlightRecord recorder = new FlightRecord();
  private final List<ListenerQueue> lanes;
  private final Duration closing;

  private EventHub(List<VolumeListener> listeners, int waiting, Duration closing) {
    this.closing = closing;
    List<ListenerQueue> all = new ArrayList<>();
    for (VolumeListener listener : listeners) {
      all.add(
          new ListenerQueue(
              "csi4j-volume-events-" + (all.size() + 1),
              listener,
              new EventQueue(waiting),
              failure -> accept(notice(failure))));
    }
    lanes = List.copyOf(all);
  }

  /**
   * Starts telling these listeners.
   *
   * @param waiting how many events may wait for a listener
   * @param closing how long closing waits for them to take what still waits
   */
  public static EventHub open(List<VolumeListener> listeners, int waiting, Duration closing) {
    EventHub hub = new EventHub(listeners, waiting, closing);
    hub.lanes.forEach(ListenerQueue::start);
    return hub;
  }

  @Override
  public void accept(VolumeEvent event) {
    recorder.accept(event);
    for (ListenerQueue lane : lanes) {
      lane.add(event);
    }
  }

  /**
   * Takes no more events, and waits a bounded time until those that wait are told; for no listener
   * when it is a listener that closes. Closing twice does no harm.
   */
  @Override
  public void close() {
    lanes.forEach(ListenerQueue::stopTaking);
    boolean inListener = lanes.stream().anyMatch(ListenerQueue::isCurrentThread);
    long deadline = System.nanoTime() + (inListener ? 0 : closing.toNanos());
    for (ListenerQueue lane : lanes) {
      lane.stop(deadline);
    }
  }

  private static VolumeEvent notice(Throwable failure) {
    return new VolumeEvent.Noticed(
        Messages.of(
            OperatorCode.LISTENER_FAILED,
            Subject.of("telling a listener what happens"),
            "it threw " + failure.getClass().getName()));
  }

  /** The way to one listener: a queue and the one thread that tells it. */
  private static final class ListenerQueue {

    private final VolumeListener listener;
    private final Consumer<Throwable> firstFailure;
    private final Thread thread;

    /** Guards the queue and the phase; never held while the listener is told. */
    private final ReentrantLock lock = new ReentrantLock();

    private final Condition changed = lock.newCondition();
    private final EventQueue queue;
    private Phase phase = Phase.OPEN;

    /** Only the thread uses it. */
    private boolean failed;

    private enum Phase {
      OPEN,
      DRAINING,
      STOPPED
    }

    ListenerQueue(
        String name, VolumeListener listener, EventQueue queue, Consumer<Throwable> firstFailure) {
      this.listener = listener;
      this.queue = queue;
      this.firstFailure = firstFailure;
      thread = new Thread(this::run, name);
      thread.setDaemon(true);
    }

    void start() {
      thread.start();
    }

    boolean isCurrentThread() {
      return Thread.currentThread() == thread;
    }

    void add(VolumeEvent event) {
      lock.lock();
      try {
        if (phase == Phase.OPEN) {
          queue.add(event);
          changed.signal();
        }
      } finally {
        lock.unlock();
      }
    }

    /** Lets what waits be told, and takes no more. */
    void stopTaking() {
      lock.lock();
      try {
        if (phase == Phase.OPEN) {
          phase = Phase.DRAINING;
          changed.signal();
        }
      } finally {
        lock.unlock();
      }
    }

    /** Waits until all is told, at most until then, and ends. */
    void stop(long deadline) {
      boolean interrupted = await(deadline);
      lock.lock();
      try {
        phase = Phase.STOPPED;
        changed.signal();
        if (!queue.isEmpty()) {
          LOG.log(
              Logger.Level.WARNING,
              "A listener was not told {0} events, as it did not take them before the manager was"
                  + " closed. Make it faster, or let closing take longer.",
              queue.size());
        }
      } finally {
        lock.unlock();
      }
      if (!isCurrentThread()) {
        thread.interrupt();
      }
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }

    private boolean await(long deadline) {
      long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
      if (left <= 0) {
        return false;
      }
      try {
        thread.join(left);
        return false;
      } catch (InterruptedException e) {
        return true;
      }
    }

    private void run() {
      for (Optional<VolumeEvent> event = take(); event.isPresent(); event = take()) {
        tell(event.get());
      }
    }

    /** The next event; nothing when there will be no more. */
    private Optional<VolumeEvent> take() {
      lock.lock();
      try {
        while (phase == Phase.OPEN && queue.isEmpty()) {
          changed.awaitUninterruptibly();
        }
        return phase == Phase.STOPPED ? Optional.empty() : queue.next();
      } finally {
        lock.unlock();
      }
    }

    private void tell(VolumeEvent event) {
      try {
        listener.on(event);
      } catch (Throwable failure) {
        LOG.log(
            failed ? Logger.Level.DEBUG : Logger.Level.WARNING,
            "A listener of volume events failed. It is told of further events, and its further"
                + " failures are logged for debugging only. Repair it.",
            failure);
        if (!failed) {
          failed = true;
          firstFailure.accept(failure);
        }
      }
    }
  }
}
