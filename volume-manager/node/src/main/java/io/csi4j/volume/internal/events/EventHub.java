package io.csi4j.volume.internal.events;

import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.internal.time.ListenerHub;
import io.csi4j.volume.internal.time.ListenerHub.Listening;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.node.VolumeEvent;
import io.csi4j.volume.node.VolumeListener;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/**
 * Where events go in and come out to the flight recorder and to listeners. Going in never blocks,
 * and no listener harms a volume or another listener.
 */
public final class EventHub implements Consumer<VolumeEvent>, AutoCloseable {

  private final FlightRecord recorder = new FlightRecord();
  private final ListenerHub hub = new ListenerHub("volume events", "csi4j-volume-events");
  private final List<Listening<VolumeEvent>> listeners;
  private final Duration closing;

  private EventHub(List<VolumeListener> listeners, int waiting, Duration closing) {
    this.closing = closing;
    this.listeners =
        listeners.stream()
            .map(
                each ->
                    hub.listen(
                        each::on, new EventQueue(waiting), failure -> accept(notice(failure))))
            .toList();
  }

  /**
   * Takes events for these listeners.
   *
   * @param waiting how many events may wait for a listener
   * @param closing how long closing waits for them to take what still waits
   */
  public static EventHub open(List<VolumeListener> listeners, int waiting, Duration closing) {
    return new EventHub(listeners, waiting, closing);
  }

  @Override
  public void accept(VolumeEvent event) {
    recorder.accept(event);
    listeners.forEach(each -> each.tell(event));
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
