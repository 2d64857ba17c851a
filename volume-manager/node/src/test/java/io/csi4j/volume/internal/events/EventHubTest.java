package io.csi4j.volume.internal.events;

import static io.csi4j.volume.internal.events.Samples.ended;
import static io.csi4j.volume.internal.events.Samples.failed;
import static io.csi4j.volume.internal.events.Samples.noticed;
import static io.csi4j.volume.internal.events.Samples.started;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.volume.internal.text.CapturedLog;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.WorkContext;
import io.csi4j.volume.node.VolumeEvent;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** What listeners and the flight recorder are told, and what listeners can do wrong. */
@Isolated("Counts threads, and reads the log of the modules.")
class EventHubTest {

  private static final Duration LONG = Duration.ofSeconds(30);

  /** Takes down what it is told. */
  private static final class Notes implements VolumeEvent.Listener {
    final BlockingQueue<VolumeEvent> told = new LinkedBlockingQueue<>();
    final AtomicReference<Thread> thread = new AtomicReference<>();

    @Override
    public void on(VolumeEvent event) {
      thread.set(Thread.currentThread());
      told.add(event);
    }

    VolumeEvent next() throws InterruptedException {
      VolumeEvent event = told.poll(30, TimeUnit.SECONDS);
      assertThat(event).isNotNull();
      return event;
    }
  }

  private static EventHub hub(VolumeEvent.Listener... listeners) {
    return EventHub.open(List.of(listeners), 100, LONG);
  }

  private static void forever() {
    try {
      new CountDownLatch(1).await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void everyListenerIsToldEverythingInOrderOnAThreadOfItsOwn() {
    Notes one = new Notes();
    Notes two = new Notes();
    List<VolumeEvent> events = List.of(started(1), noticed("a"), ended(1), started(2), failed(2));
    try (EventHub hub = hub(one, two)) {
      events.forEach(hub);
    }
    assertThat(one.told).containsExactlyElementsOf(events);
    assertThat(two.told).containsExactlyElementsOf(events);
    assertThat(List.of(one.thread.get(), two.thread.get()))
        .doesNotContain(Thread.currentThread())
        .allMatch(Thread::isDaemon)
        .extracting(Thread::getName)
        .allMatch(name -> name.startsWith("csi4j-volume-events-"));
  }

  @Test
  void aCallIsSentOnceInTheContextsOfAllListenersWhateverTheyDo() {
    List<String> order = new ArrayList<>();
    VolumeEvent.Listener first = withContext(work -> inside("first", order, work));
    VolumeEvent.Listener second = withContext(work -> inside("second", order, work));
    VolumeEvent.Listener lazy = withContext(work -> {});
    VolumeEvent.Listener twice =
        withContext(
            work -> {
              work.run();
              work.run();
              throw new IllegalStateException("a broken context");
            });
    VolumeEvent.Listener none =
        new VolumeEvent.Listener() {
          @Override
          public void on(VolumeEvent event) {}

          @Override
          public WorkContext calling(VolumeEvent.Started operation, CsiOperation call) {
            throw new LinkageError("a broken listener");
          }
        };
    try (EventHub hub = hub(first, lazy, event -> {}, none, twice, second)) {
      hub.calling(started(1), CsiOperation.NODE_STAGE_VOLUME).run(() -> order.add("sent"));
    }
    assertThat(order)
        .containsExactly("second begins", "first begins", "sent", "first ends", "second ends");
  }

  private static void inside(String name, List<String> order, Runnable work) {
    order.add(name + " begins");
    work.run();
    order.add(name + " ends");
  }

  private static VolumeEvent.Listener withContext(WorkContext context) {
    return new VolumeEvent.Listener() {
      @Override
      public void on(VolumeEvent event) {}

      @Override
      public WorkContext calling(VolumeEvent.Started operation, CsiOperation call) {
        assertThat(call).isEqualTo(CsiOperation.NODE_STAGE_VOLUME);
        return context;
      }
    };
  }

  @Test
  void whatHasNotEndedWhenTheManagerEndsWithoutItIsToldToEndOnce() {
    Notes notes = new Notes();
    OperatorMessage why = Samples.noticed("left").message();
    try (EventHub hub = hub(notes)) {
      List.of(started(1), started(2), ended(1)).forEach(hub);
      hub.abandon(operation -> why);
      hub.accept(failed(2));
    }
    assertThat(notes.told).hasSize(4);
    assertThat(List.copyOf(notes.told).subList(0, 3))
        .containsExactly(started(1), started(2), ended(1));
    assertThat(List.copyOf(notes.told).get(3))
        .isInstanceOfSatisfying(
            VolumeEvent.Ended.class,
            left -> {
              assertThat(left.started()).isEqualTo(started(2));
              assertThat(left.failure()).contains(why);
            });
  }

  @Test
  void withoutAListenerWhatAnOperatorHasToKnowIsLoggedInOneLineEach() {
    assertThat(loggedOf(hub()))
        .extracting(LogRecord::getLevel, LogRecord::getMessage)
        .containsExactly(
            tuple(Level.SEVERE, noticed("the mount is gone").message().line()),
            tuple(Level.SEVERE, line(failed(1, VolumeEvent.Operation.UNMOUNT))),
            tuple(Level.SEVERE, line(failed(2, VolumeEvent.Operation.CLEAN_UP))),
            tuple(Level.SEVERE, line(failed(3, VolumeEvent.Operation.REPAIR))));
  }

  @Test
  void withAListenerNothingIsLogged() {
    Notes notes = new Notes();

    assertThat(loggedOf(hub(notes))).isEmpty();

    assertThat(notes.told).hasSize(8);
  }

  private static String line(VolumeEvent.Ended ended) {
    return ended.failure().orElseThrow().line();
  }

  /**
   * Tells a hub of everything that can happen, closes it, and returns what was logged meanwhile.
   */
  private static List<LogRecord> loggedOf(EventHub hub) {
    try (CapturedLog log = CapturedLog.ofVolumes()) {
      hub.accept(noticed("the mount is gone"));
      hub.accept(failed(1, VolumeEvent.Operation.UNMOUNT));
      hub.accept(failed(2, VolumeEvent.Operation.CLEAN_UP));
      hub.accept(failed(3, VolumeEvent.Operation.REPAIR));
      // The callers of these are told, and decide.
      hub.accept(failed(4));
      hub.accept(failed(5, VolumeEvent.Operation.EXPAND));
      hub.accept(failed(6, VolumeEvent.Operation.REFRESH));
      hub.accept(ended(7));
      hub.close();
      return log.records();
    }
  }

  @Test
  @Tag("E9")
  void aListenerThatThrowsIsToldOnAndReportedOnce() {
    Notes notes = new Notes();
    Notes others = new Notes();
    VolumeEvent.Listener throwing =
        event -> {
          notes.on(event);
          throw new LinkageError("never shown");
        };
    CapturedLog log = CapturedLog.ofVolumes();
    try (log;
        EventHub hub = hub(throwing, others)) {
      List.of(started(1), ended(1), started(2)).forEach(hub);
      assertThat(noticeAmong(others, 4).message().line())
          .as("E9: a listener that throws is told")
          .startsWith("CSI-902 LISTENER_FAILED: ")
          .contains("java.lang.LinkageError")
          .doesNotContain("never shown");
    }
    assertThat(notes.told)
        .as("E9: it hears of what follows all the same")
        .hasSize(4)
        .contains(started(1), ended(1), started(2));
    assertThat(others.told).isEmpty();
    assertThat(log.records())
        .filteredOn(each -> each.getLevel().equals(Level.WARNING))
        .singleElement()
        .satisfies(each -> assertThat(each.getThrown()).isInstanceOf(LinkageError.class));
  }

  private static VolumeEvent.Noticed noticeAmong(Notes notes, int count) {
    List<VolumeEvent.Noticed> found = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      try {
        if (notes.next() instanceof VolumeEvent.Noticed noticed) {
          found.add(noticed);
        }
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
    assertThat(found).hasSize(1);
    return found.get(0);
  }

  @Test
  @Tag("E9")
  void aListenerThatBlocksHarmsNeitherTheTellerNorOtherListenersNorClosing() throws Exception {
    Notes others = new Notes();
    CountDownLatch blocked = new CountDownLatch(1);
    AtomicReference<Thread> stuck = new AtomicReference<>();
    VolumeEvent.Listener blocking =
        event -> {
          stuck.set(Thread.currentThread());
          blocked.countDown();
          forever();
        };
    EventHub hub = EventHub.open(List.of(blocking, others), 10, Duration.ofMillis(50));
    hub.accept(started(1));
    assertThat(blocked.await(30, TimeUnit.SECONDS)).isTrue();
    for (int i = 0; i < 1000; i++) {
      hub.accept(noticed("n" + i));
      assertThat(others.next()).isNotNull();
    }
    hub.close();
    stuck.get().join(30_000);
    assertThat(stuck.get().isAlive())
        .as("E9: a listener that blocks does not stop the closing")
        .isFalse();
  }

  @Test
  @Tag("J5")
  void aSlowListenerIsToldHowMuchItMissed() throws Exception {
    Notes notes = new Notes();
    CountDownLatch goOn = new CountDownLatch(1);
    CountDownLatch first = new CountDownLatch(1);
    VolumeEvent.Listener slow =
        event -> {
          notes.on(event);
          first.countDown();
          try {
            goOn.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        };
    try (EventHub hub = EventHub.open(List.of(slow), 10, LONG)) {
      hub.accept(started(1));
      assertThat(first.await(30, TimeUnit.SECONDS)).isTrue();
      for (int i = 2; i <= 1001; i++) {
        hub.accept(started(i));
        hub.accept(ended(i));
      }
      hub.accept(failed(1));
      goOn.countDown();
    }
    assertThat(notes.told).hasSize(11).contains(failed(1));
    assertThat(
            notes.told.stream()
                .map(Object::toString)
                .filter(line -> line.contains("EVENTS_DROPPED")))
        .as("J5: it is told how much it missed")
        .singleElement()
        .asString()
        .contains("1992 events were not delivered");
  }

  @Test
  @Tag("E10")
  void aListenerMayComeBackInAndClose() throws Exception {
    Notes notes = new Notes();
    CountDownLatch closed = new CountDownLatch(1);
    AtomicReference<EventHub> hub = new AtomicReference<>();
    VolumeEvent.Listener again =
        event -> {
          notes.on(event);
          if (event.equals(started(1))) {
            hub.get().accept(ended(1));
          } else {
            hub.get().close();
            closed.countDown();
          }
        };
    hub.set(EventHub.open(List.of(again), 100, Duration.ofHours(1)));
    hub.get().accept(started(1));
    assertThat(closed.await(30, TimeUnit.SECONDS)).isTrue();
    hub.get().accept(noticed("too late"));
    notes.thread.get().join(30_000);
    assertThat(notes.thread.get().isAlive()).isFalse();
    assertThat(notes.told)
        .as("E10: a listener may call and close")
        .containsExactly(started(1), ended(1));
  }

  @Test
  @Tag("E10")
  void noLockIsHeldWhileAListenerIsTold() throws Exception {
    CountDownLatch told = new CountDownLatch(2);
    AtomicReference<EventHub> hub = new AtomicReference<>();
    VolumeEvent.Listener waiting =
        event -> {
          if (event.equals(started(1))) {
            Thread other = new Thread(() -> hub.get().accept(ended(1)), "test-other");
            other.start();
            try {
              other.join();
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
          }
          told.countDown();
        };
    hub.set(hub(waiting));
    try (EventHub open = hub.get()) {
      open.accept(started(1));
      assertThat(told.await(30, TimeUnit.SECONDS))
          .as("E10: another thread gets through while a listener is told")
          .isTrue();
    }
  }

  @Test
  void closingTellsWhatWaitsAndTakesNoMore() throws Exception {
    Notes notes = new Notes();
    EventHub hub = hub(notes);
    for (int i = 0; i < 50; i++) {
      hub.accept(noticed("n" + i));
    }
    hub.close();
    hub.accept(noticed("too late"));
    hub.close();
    assertThat(notes.told).hasSize(50).doesNotContain(noticed("too late"));
    notes.thread.get().join(30_000);
    assertThat(notes.thread.get().isAlive()).isFalse();
  }

  @Test
  void closingEndsThoughAListenerKeepsMakingEvents() throws Exception {
    CountDownLatch first = new CountDownLatch(1);
    AtomicReference<EventHub> hub = new AtomicReference<>();
    VolumeEvent.Listener chatty =
        event -> {
          hub.get().accept(event);
          first.countDown();
        };
    hub.set(EventHub.open(List.of(chatty), 100, Duration.ofHours(1)));
    hub.get().accept(noticed("again"));
    assertThat(first.await(30, TimeUnit.SECONDS)).isTrue();
    hub.get().close();
  }

  @Test
  void withoutListenersThereIsNoThread() {
    // Those of another test may be about to end.
    Set<Thread> before = Thread.getAllStackTraces().keySet();
    try (EventHub hub = hub()) {
      hub.accept(started(1));
      assertThat(Thread.getAllStackTraces().keySet())
          .filteredOn(thread -> !before.contains(thread))
          .extracting(Thread::getName)
          .noneMatch(name -> name.startsWith("csi4j-volume-events-"));
    }
  }

  @Tag("campaign")
  @Test
  void everyOperationIsOneEventOfTheFlightRecorder(@TempDir Path directory) throws Exception {
    Path file = directory.resolve("volumes.jfr");
    try (EventHub hub = hub();
        Recording recording = new Recording()) {
      hub.accept(started(1));
      recording.enable("io.csi4j.VolumeOperation");
      recording.start();
      List.of(ended(1), started(2), started(3), failed(3), ended(2)).forEach(hub);
      recording.stop();
      recording.dump(file);
    }
    List<RecordedEvent> events =
        RecordingFile.readAllEvents(file).stream()
            .filter(event -> event.getEventType().getName().equals("io.csi4j.VolumeOperation"))
            .toList();
    assertThat(events)
        .extracting(
            event -> event.getLong("number"),
            event -> event.getString("operation"),
            event -> event.getString("plugin"),
            event -> event.getString("volume"),
            event -> event.getString("workload"),
            event -> event.getString("failure"))
        .containsExactlyInAnyOrder(
            org.assertj.core.groups.Tuple.tuple(
                3L, "MOUNT", "hostpath.csi", "default/db-1", "web-1", "REFUSED_BY_PLUGIN"),
            org.assertj.core.groups.Tuple.tuple(
                2L, "MOUNT", "hostpath.csi", "default/db-1", "web-1", ""));
    assertThat(events).allMatch(event -> event.getDuration().toNanos() > 0);
  }
}
