package io.csi4j.volume.internal.events;

import static io.csi4j.volume.internal.events.Samples.called;
import static io.csi4j.volume.internal.events.Samples.ended;
import static io.csi4j.volume.internal.events.Samples.failed;
import static io.csi4j.volume.internal.events.Samples.noticed;
import static io.csi4j.volume.internal.events.Samples.started;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.volume.model.OperationId;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.node.VolumeEvent;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which events are dropped when a listener is too slow. */
class EventQueueTest {

  private static List<VolumeEvent> all(EventQueue queue) {
    List<VolumeEvent> told = new ArrayList<>();
    for (Optional<VolumeEvent> event = queue.next(); event.isPresent(); event = queue.next()) {
      told.add(event.get());
    }
    return told;
  }

  private static String dropped(VolumeEvent event) {
    assertThat(event).isInstanceOf(VolumeEvent.Noticed.class);
    VolumeEvent.Noticed noticed = (VolumeEvent.Noticed) event;
    assertThat(noticed.message().code()).isEqualTo(OperatorCode.EVENTS_DROPPED);
    return noticed.message().seen().text();
  }

  @Test
  void whatFitsIsToldInOrder() {
    EventQueue queue = new EventQueue(4);
    List<VolumeEvent> events = List.of(started(1), noticed("a"), started(2), ended(1));
    events.forEach(queue::add);
    assertThat(all(queue)).containsExactlyElementsOf(events);
    assertThat(queue.isEmpty()).isTrue();
  }

  @Test
  void theOldestOperationThatNobodyWasToldOfGoesFirstFromStartToEnd() {
    EventQueue queue = new EventQueue(4);
    List.of(noticed("a"), started(1), ended(1), started(2), failed(2)).forEach(queue::add);
    List<VolumeEvent> told = all(queue);
    assertThat(told).startsWith(noticed("a"), started(2), failed(2)).hasSize(4);
    assertThat(dropped(told.get(3)))
        .isEqualTo("2 events were not delivered, as more than 4 waited");
  }

  @Test
  void theEndOfAnOperationWhoseStartWasDroppedIsToldOnlyIfItFailed() {
    EventQueue queue = new EventQueue(2);
    List.of(started(1), started(2), noticed("a"), noticed("b")).forEach(queue::add);
    queue.add(ended(1));
    queue.add(failed(2));
    List<VolumeEvent> told = all(queue);
    assertThat(told).startsWith(noticed("b"), failed(2)).hasSize(3);
    assertThat(dropped(told.get(2))).startsWith("4 events ");
  }

  @Test
  @Tag("J5")
  void failuresAndNoticesGoLastAndTheOldestOfThemFirst() {
    EventQueue queue = new EventQueue(2);
    List.of(noticed("a"), started(1), noticed("b"), noticed("c"), started(2)).forEach(queue::add);
    List<VolumeEvent> told = all(queue);
    assertThat(told)
        .as("J5: progress is lost first")
        .startsWith(noticed("b"), noticed("c"))
        .hasSize(3);
    assertThat(dropped(told.get(2))).startsWith("3 events ");
  }

  @Test
  void theCallsOfAnOperationAreToldBetweenItsStartAndItsEnd() {
    EventQueue queue = new EventQueue(4);
    List<VolumeEvent> events = List.of(started(1), called(1), called(1), ended(1));
    events.forEach(queue::add);
    assertThat(all(queue)).containsExactlyElementsOf(events);
  }

  @Test
  void theCallsOfAnOperationAreDroppedWithItAndWhatComesLaterToo() {
    EventQueue queue = new EventQueue(3);
    List.of(started(1), called(1), started(2), called(2), called(1), ended(1)).forEach(queue::add);
    List<VolumeEvent> told = all(queue);
    assertThat(told).startsWith(started(2), called(2)).hasSize(3);
    assertThat(dropped(told.get(2))).startsWith("4 events ");
  }

  @Test
  void aCallOfAnOperationThatWasToldIsDroppedWhereItsEndIsNot() {
    EventQueue queue = new EventQueue(2);
    queue.add(started(1));
    queue.add(called(1));
    assertThat(queue.next()).contains(started(1));
    List.of(called(1), called(1), ended(1)).forEach(queue::add);
    List<VolumeEvent> told = all(queue);
    assertThat(told).hasSize(3).startsWith(called(1)).endsWith(ended(1));
    assertThat(dropped(told.get(1))).startsWith("2 events ");
  }

  @Test
  void aStartThatWasToldGetsItsEndWhateverIsDropped() {
    EventQueue queue = new EventQueue(1);
    queue.add(started(1));
    assertThat(queue.next()).contains(started(1));
    queue.add(ended(1));
    queue.add(noticed("a"));
    List<VolumeEvent> told = all(queue);
    assertThat(told).hasSize(2).contains(ended(1));
    assertThat(dropped(told.get(0))).isEqualTo("1 event was not delivered, as more than 1 waited");
  }

  @Test
  void failuresOfOperationsThatNobodyWasToldOfDoNotPileUp() {
    EventQueue queue = new EventQueue(3);
    for (int id = 1; id <= 100; id++) {
      queue.add(started(id));
      queue.add(failed(id));
      assertThat(queue.size()).isLessThanOrEqualTo(3);
    }
    for (int id = 101; id <= 200; id++) {
      queue.add(started(id));
      assertThat(queue.size()).isLessThanOrEqualTo(3);
    }
    for (int id = 101; id <= 200; id++) {
      queue.add(failed(id));
      assertThat(queue.size()).isLessThanOrEqualTo(3);
    }
    assertThat(all(queue)).startsWith(failed(198), failed(199), failed(200)).hasSize(4);
  }

  @Test
  void whatWasDroppedIsToldWhileMoreKeepsComing() {
    EventQueue queue = new EventQueue(2);
    int counted = 0;
    for (int i = 0; i < 60; i++) {
      queue.add(noticed("n" + i));
      queue.add(noticed("m" + i));
      VolumeEvent event = queue.next().orElseThrow();
      counted += event.toString().contains("EVENTS_DROPPED") ? 1 : 0;
    }
    assertThat(counted).isEqualTo(20);
  }

  @Tag("campaign")
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void aMillionEventsForASlowListenerNeitherPileUpNorLoseAnEnd(long seed) {
    Random random = new Random(seed);
    int bound = 1 + random.nextInt(50);
    EventQueue queue = new EventQueue(bound);
    List<Long> open = new ArrayList<>();
    Set<OperationId> openForListener = new HashSet<>();
    long[] offeredToldDropped = new long[3];
    for (long id = 1; id <= 60_000; id++) {
      queue.add(started(id));
      open.add(id);
      offeredToldDropped[0]++;
      if (random.nextBoolean()) {
        queue.add(called(open.get(random.nextInt(open.size()))));
        offeredToldDropped[0]++;
      }
      if (open.size() > 10 || random.nextBoolean()) {
        long ends = open.remove(random.nextInt(open.size()));
        queue.add(random.nextInt(10) == 0 ? failed(ends) : ended(ends));
        offeredToldDropped[0]++;
      }
      assertThat(queue.size()).isLessThanOrEqualTo(bound + 11);
      if (random.nextInt(4) == 0) {
        queue.next().ifPresent(event -> listen(event, openForListener, offeredToldDropped));
      }
    }
    for (long ends : open) {
      queue.add(ended(ends));
      offeredToldDropped[0]++;
    }
    all(queue).forEach(event -> listen(event, openForListener, offeredToldDropped));
    assertThat(openForListener).isEmpty();
    assertThat(offeredToldDropped[1] + offeredToldDropped[2]).isEqualTo(offeredToldDropped[0]);
  }

  private static void listen(VolumeEvent event, Set<OperationId> open, long[] counts) {
    if (event instanceof VolumeEvent.Noticed) {
      counts[2] += Long.parseLong(dropped(event).split(" ", -1)[0]);
      return;
    }
    counts[1]++;
    if (event instanceof VolumeEvent.Started started) {
      assertThat(open.add(started.id())).isTrue();
    } else if (event instanceof VolumeEvent.Called called) {
      assertThat(open).contains(called.operation());
    } else if (event instanceof VolumeEvent.Ended ended && ended.failure().isEmpty()) {
      assertThat(open.remove(ended.started().id())).isTrue();
    } else if (event instanceof VolumeEvent.Ended ended) {
      open.remove(ended.started().id());
    }
  }
}
