package io.csi4j.volume.internal.events;

import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.internal.time.ListenerHub;
import io.csi4j.volume.model.OperationId;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.node.VolumeEvent;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * The queue of events for one listener. If there are too many events, the queue drops some in this
 * order. First it drops complete operations whose start was not delivered yet, the oldest first;
 * their failures stay. Then it drops failures, notices and calls. The end of an operation whose
 * start was delivered is never dropped, so the queue may exceed its bound by the number of running
 * operations. Not thread-safe.
 */
final class EventQueue implements ListenerHub.Waiting<VolumeEvent> {

  private final int bound;
  private final Map<Long, VolumeEvent> waiting = new LinkedHashMap<>();
  private final Map<OperationId, Span> untouched = new LinkedHashMap<>();
  private final NavigableSet<Long> dispensable = new TreeSet<>();
  private final Set<OperationId> halfDropped = new HashSet<>();
  private long added;
  private long dropped;
  private int toldSinceNotice;

  /**
   * The positions of an operation's events in the queue, while the start of the operation was not
   * delivered yet.
   */
  private record Span(long start, List<Long> calls, Optional<Long> end) {}

  EventQueue(int bound) {
    this.bound = bound;
  }

  @Override
  public boolean isEmpty() {
    return waiting.isEmpty() && dropped == 0;
  }

  @Override
  public int size() {
    return waiting.size();
  }

  @Override
  public void add(VolumeEvent event) {
    if (event instanceof VolumeEvent.Started started) {
      untouched.put(started.id(), new Span(append(event), new ArrayList<>(), Optional.empty()));
    } else if (event instanceof VolumeEvent.Ended ended) {
      addEnd(ended);
    } else if (event instanceof VolumeEvent.Called called) {
      addCall(called);
    } else {
      dispensable.add(append(event));
    }
    while (waiting.size() > bound && (dropOperation() || dropOther())) {
      dropped++;
    }
  }

  @Override
  public Optional<VolumeEvent> next() {
    if (dropped > 0 && (waiting.isEmpty() || toldSinceNotice >= bound)) {
      toldSinceNotice = 0;
      return Optional.of(noticeOfDropped());
    }
    Iterator<Map.Entry<Long, VolumeEvent>> all = waiting.entrySet().iterator();
    if (!all.hasNext()) {
      return Optional.empty();
    }
    Map.Entry<Long, VolumeEvent> oldest = all.next();
    VolumeEvent event = oldest.getValue();
    dispensable.remove(oldest.getKey());
    all.remove();
    if (event instanceof VolumeEvent.Started started) {
      Span span = untouched.remove(started.id());
      if (span != null) {
        dispensable.addAll(span.calls());
      }
    }
    toldSinceNotice++;
    return Optional.of(event);
  }

  /**
   * Adds a call. As long as the start of its operation was not delivered, the call is dropped only
   * together with the operation.
   */
  private void addCall(VolumeEvent.Called called) {
    if (halfDropped.contains(called.operation())) {
      dropped++;
      return;
    }
    long place = append(called);
    Span span = untouched.get(called.operation());
    if (span == null) {
      dispensable.add(place);
    } else {
      span.calls().add(place);
    }
  }

  private void addEnd(VolumeEvent.Ended ended) {
    OperationId id = ended.started().id();
    boolean startWasDropped = halfDropped.remove(id);
    if (startWasDropped && ended.failure().isEmpty()) {
      dropped++;
      return;
    }
    long place = append(ended);
    if (startWasDropped) {
      dispensable.add(place);
    }
    untouched.computeIfPresent(
        id, (key, span) -> new Span(span.start(), span.calls(), Optional.of(place)));
  }

  private long append(VolumeEvent event) {
    long place = added++;
    waiting.put(place, event);
    return place;
  }

  private boolean dropOperation() {
    Iterator<Map.Entry<OperationId, Span>> all = untouched.entrySet().iterator();
    if (!all.hasNext()) {
      return false;
    }
    Map.Entry<OperationId, Span> oldest = all.next();
    OperationId id = oldest.getKey();
    Span span = oldest.getValue();
    all.remove();
    waiting.remove(span.start());
    span.calls().forEach(waiting::remove);
    dropped += span.calls().size();
    if (span.end().isEmpty()) {
      halfDropped.add(id);
    } else {
      long end = span.end().get();
      if (waiting.get(end) instanceof VolumeEvent.Ended ended && ended.failure().isEmpty()) {
        waiting.remove(end);
        dropped++;
      } else {
        dispensable.add(end);
      }
    }
    return true;
  }

  private boolean dropOther() {
    Long oldest = dispensable.pollFirst();
    if (oldest == null) {
      return false;
    }
    waiting.remove(oldest);
    return true;
  }

  private VolumeEvent noticeOfDropped() {
    long count = dropped;
    dropped = 0;
    return new VolumeEvent.Noticed(
        Messages.of(
            OperatorCode.EVENTS_DROPPED,
            Subject.of("delivering events to a listener"),
            count
                + (count == 1 ? " event was" : " events were")
                + (" not delivered, as more than " + bound + " waited")));
  }
}
