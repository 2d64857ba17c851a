package io.csi4j.volume.internal.events;

import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.node.VolumeEvent;
import io.csi4j.volume.node.VolumeListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Where events go in and come out to the flight recorder and to listeners. Going in never blocks.
 * Each listener has a queue and a thread of its own, so that one that blocks or throws harms
 * neither a volume nor another listener.
 */
public final class EventHub implements Consumer<VolumeEvent>, AutoCloseable {

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
}
