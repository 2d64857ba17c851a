package io.csi4j.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.mount.real.Eventually;
import io.csi4j.volume.catalog.VolumeSummary.State;
import io.csi4j.volume.controller.ControlPlaneStatus;
import io.csi4j.volume.controller.ControlPlaneStatus.Pending;
import io.csi4j.volume.controller.ControlPlaneStatus.Session;
import io.csi4j.volume.controller.ControllerEvent;
import io.csi4j.volume.controller.ControllerEvent.Operation;
import io.csi4j.volume.model.OperationId;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.local.MemoryStore;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The metrics of control planes: real operations of two of them, and each figure of a status. */
class ControllerMetersTest {

  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final SimpleMeterRegistry registryOfTwo = new SimpleMeterRegistry();
  private final AtomicLong now = new AtomicLong();

  private CsiMetrics metrics(SimpleMeterRegistry of) {
    return CsiMetrics.bindTo(
        of,
        CsiMetrics.MOST_PLUGINS,
        CsiMetrics.MOST_VOLUMES,
        CsiMetrics.ORDINARY,
        () -> now.addAndGet(TimeUnit.SECONDS.toNanos(2)));
  }

  /** The values of a meter, by the values of its tags in order; of a timer, its count. */
  private static Map<String, Double> values(SimpleMeterRegistry registry, CsiMeter meter) {
    Map<String, Double> values = new TreeMap<>();
    registry
        .find(meter.id())
        .meters()
        .forEach(
            each -> {
              assertThat(each.getId().getTags().stream().map(Tag::getKey))
                  .containsExactlyInAnyOrderElementsOf(meter.tags());
              values.put(
                  meter.tags().stream().map(each.getId()::getTag).collect(Collectors.joining(" ")),
                  each instanceof Timer timer
                      ? (double) timer.count()
                      : each.measure().iterator().next().getValue());
            });
    return values;
  }

  private Map<String, Double> values(CsiMeter meter) {
    return values(registry, meter);
  }

  private Map<String, Double> ofTwo(CsiMeter meter) {
    return values(registryOfTwo, meter);
  }

  // ---- real operations

  @Test
  void theGaugesOfTwoControlPlanesMoveWhenOneTakesOverTheWorkOfTheOther() throws Exception {
    try (CsiMetrics first = metrics(registry);
        CsiMetrics second = metrics(registryOfTwo);
        RealControlPlanes planes = new RealControlPlanes(first, second)) {
      assertThat(values(CsiMeter.SESSION)).containsEntry("idle", 1.0);
      planes.delete();

      Eventually.isTrue("it waits", () -> Map.of("", 1.0).equals(ofTwo(CsiMeter.CONTROLLER_OPEN)));
      Eventually.isTrue(
          "it sees it", () -> ofTwo(CsiMeter.CONTROLLER_WORK).get("elsewhere") == 1.0);
      assertThat(values(CsiMeter.CONTROLLER_WORK))
          .containsOnly(Map.entry("here", 1.0), Map.entry("elsewhere", 0.0));
      assertThat(ofTwo(CsiMeter.CONTROLLER_WORK)).containsEntry("here", 0.0);
      assertThat(values(CsiMeter.SESSION)).containsEntry("active", 1.0).containsEntry("idle", 0.0);
      assertThat(ofTwo(CsiMeter.CONTROLLER_VOLUMES)).containsEntry("deleting", 1.0);
      assertThat(ofTwo(CsiMeter.PENDING)).containsOnly(Map.entry("delete in_progress OK", 1.0));

      planes.takeOver();

      assertThat(ofTwo(CsiMeter.CONTROLLER_EVENTS)).containsOnly(Map.entry("taken_over", 1.0));
      Eventually.isTrue(
          "it is given up",
          () -> values(CsiMeter.CONTROLLER_EVENTS).equals(Map.of("given_up", 1.0)));
      assertThat(ofTwo(CsiMeter.CONTROLLER_WAITS)).containsOnly(Map.entry("", 1.0));
      assertThat(ofTwo(CsiMeter.CONTROLLER_WORK)).containsEntry("elsewhere", 0.0);
      assertThat(ofTwo(CsiMeter.CONTROLLER_VOLUMES)).containsEntry("deleting", 0.0);
      assertThat(ofTwo(CsiMeter.PENDING)).isEmpty();
      assertThat(ofTwo(CsiMeter.PENDING_AGE)).isEmpty();
      // The store was silent for a while, in which the work may have been tried again.
      Map<String, Double> done = values(CsiMeter.CONTROLLER_OPERATIONS);
      done.remove("retry CATALOG_DOWN");
      assertThat(done)
          .containsOnly(Map.entry("create OK", 1.0), Map.entry("delete CATALOG_UNCONFIRMED", 1.0));
      assertThat(ofTwo(CsiMeter.CONTROLLER_OPERATIONS)).containsOnly(Map.entry("resume OK", 1.0));
      assertThat(ofTwo(CsiMeter.CONTROLLER_OPEN)).containsOnly(Map.entry("", 0.0));
      assertThat(values(CsiMeter.STORE_CALLS))
          .containsEntry("write unknown", 1.0)
          .containsKeys("read ok", "read unavailable", "scan ok", "watch ok", "write ok");
      assertThat(values(CsiMeter.STORE_MISSED)).containsOnly(Map.entry("", 1.0));
      assertThat(ofTwo(CsiMeter.STORE_MISSED)).isEmpty();
    }
    assertThat(registry.getMeters()).isEmpty();
  }

  @Test
  void attemptsInTheBackgroundAreCountedByOperationOutcomeAndCode() {
    try (CsiMetrics metrics = metrics(registry);
        RealControlPlanes planes = new RealControlPlanes(metrics, metrics)) {
      planes.deleteInTheBackground();

      Eventually.isTrue(
          "it is reported",
          () -> values(CsiMeter.ATTEMPTS_IN_BACKGROUND).containsKey("delete done OK"));
      assertThat(values(CsiMeter.ATTEMPTS_IN_BACKGROUND))
          .containsOnly(
              Map.entry("delete failed CONTROLLER_CALL_IN_DOUBT", 1.0),
              Map.entry("delete done OK", 1.0));
      assertThat(values(CsiMeter.CONTROLLER_OPERATIONS))
          .containsEntry("retry OK", 1.0)
          .containsEntry("retry CONTROLLER_CALL_IN_DOUBT", 1.0);
    }
  }

  @Test
  void theControlPlaneWithTheUpkeepIsShown() {
    try (CsiMetrics first = metrics(registry);
        CsiMetrics second = metrics(registryOfTwo);
        RealControlPlanes planes = new RealControlPlanes(first, second)) {
      assertThat(planes.one.takeUpkeep("reap")).isEmpty();
      assertThat(planes.two.takeUpkeep("reap")).contains("one");

      assertThat(values(CsiMeter.UPKEEP)).containsOnly(Map.entry("", 1.0));
      assertThat(ofTwo(CsiMeter.UPKEEP)).containsOnly(Map.entry("", 0.0));
    }
  }

  @Test
  void aScrapeAsksNoStore() throws Exception {
    try (CsiMetrics metrics = metrics(registry);
        RealControlPlanes planes = new RealControlPlanes(metrics, metrics)) {
      planes.delete();
      Eventually.isTrue("it waits", () -> Map.of("", 2.0).equals(values(CsiMeter.CONTROLLER_OPEN)));
      Map<String, Double> before = values(CsiMeter.STORE_CALLS);
      for (int i = 0; i < 1000; i++) {
        assertThat(values(CsiMeter.CONTROLLER_VOLUMES)).isNotEmpty();
      }
      double scans = values(CsiMeter.STORE_CALLS).get("scan ok");
      assertThat(scans).as("the wait of the other reads").isEqualTo(before.get("scan ok"));
      planes.takeOver();
    }
  }

  // ---- the figures of a status

  private static Pending pending(
      String volume, Operation operation, Optional<OperatorCode> failure, boolean isHeld, int age) {
    OperatorMessage.Part part = new OperatorMessage.Part("a text that is no tag");
    return new Pending(
        VolumeKey.of(volume),
        operation,
        Optional.of(Instant.EPOCH.minusSeconds(age)),
        1,
        failure.map(code -> new OperatorMessage(code, part, part, part, part)),
        isHeld,
        Optional.empty(),
        Optional.empty());
  }

  private static ControlPlaneStatus status(
      List<Pending> pending, Session session, Optional<ReasonText> readOnly) {
    return new ControlPlaneStatus(
        "one",
        Instant.EPOCH,
        Map.of(State.PRESENT, 5, State.CREATING, 2, State.GROWING, 1, State.DELETING, 3),
        4,
        Duration.ofMillis(2500),
        6,
        7,
        pending,
        session,
        Map.of("reap", "one", "health", "two"),
        readOnly);
  }

  @Test
  void everyFigureOfAStatusHasItsGauge() throws Exception {
    List<Pending> pending =
        new ArrayList<>(
            List.of(
                pending("a", Operation.DELETE, Optional.empty(), false, 10),
                pending("b", Operation.DELETE, Optional.of(OperatorCode.VOLUME_ID_TAKEN), true, 30),
                pending("c", Operation.EXPAND, Optional.of(OperatorCode.PLUGIN_NOT_UP), false, 5)));
    try (CsiMetrics metrics = metrics(registry);
        AutoCloseable watched =
            metrics.watchStatus(
                () ->
                    status(
                        pending,
                        Session.UNCERTAIN,
                        Optional.of(new ReasonText("it may have lost records"))))) {
      assertThat(watched).isNotNull();
      assertThat(values(CsiMeter.CONTROLLER_VOLUMES))
          .containsOnly(
              Map.entry("creating", 2.0),
              Map.entry("present", 5.0),
              Map.entry("growing", 1.0),
              Map.entry("deleting", 3.0),
              Map.entry("unreadable", 4.0));
      assertThat(values(CsiMeter.CONTROLLER_WORK))
          .containsOnly(Map.entry("here", 6.0), Map.entry("elsewhere", 7.0));
      assertThat(values(CsiMeter.PENDING))
          .containsOnly(
              Map.entry("delete in_progress OK", 1.0),
              Map.entry("delete held VOLUME_ID_TAKEN", 1.0),
              Map.entry("expand in_progress PLUGIN_NOT_UP", 1.0));
      assertThat(values(CsiMeter.PENDING_AGE))
          .containsOnly(Map.entry("delete", 30.0), Map.entry("expand", 5.0));
      assertThat(values(CsiMeter.SESSION))
          .containsOnly(
              Map.entry("idle", 0.0),
              Map.entry("active", 0.0),
              Map.entry("uncertain", 1.0),
              Map.entry("lost", 0.0));
      assertThat(values(CsiMeter.UPKEEP)).containsOnly(Map.entry("", 1.0));
      assertThat(values(CsiMeter.VIEW_AGE)).containsOnly(Map.entry("", 2.5));
      assertThat(values(CsiMeter.READ_ONLY)).containsOnly(Map.entry("", 1.0));

      pending.remove(1);
      assertThat(values(CsiMeter.CONTROLLER_WORK)).isNotEmpty();
      assertThat(values(CsiMeter.PENDING))
          .containsOnly(
              Map.entry("delete in_progress OK", 1.0),
              Map.entry("expand in_progress PLUGIN_NOT_UP", 1.0));
      assertThat(values(CsiMeter.PENDING_AGE)).containsEntry("delete", 10.0);

      AutoCloseable another =
          metrics.watchStatus(() -> status(List.of(), Session.ACTIVE, Optional.empty()));
      assertThat(values(CsiMeter.CONTROLLER_WORK)).containsEntry("here", 12.0);
      assertThat(values(CsiMeter.VIEW_AGE)).as("the older one").containsEntry("", 2.5);
      another.close();
      assertThat(values(CsiMeter.CONTROLLER_WORK)).containsEntry("here", 6.0);
    }
    assertThat(registry.getMeters()).isEmpty();
  }

  @Test
  void everyChangeOfTheSessionAndTheStoreIsCounted() {
    try (CsiMetrics metrics = metrics(registry)) {
      ControllerEvent.Listener listener = metrics.controllers();
      for (Session state : List.of(Session.UNCERTAIN, Session.ACTIVE, Session.LOST, Session.IDLE)) {
        listener.on(new ControllerEvent.SessionChanged(state));
      }
      listener.on(new ControllerEvent.StoreChanged(Optional.of(new ReasonText("it went back"))));
      listener.on(new ControllerEvent.StoreChanged(Optional.empty()));
      ControllerEvent.Waiting waiting =
          new ControllerEvent.Waiting(new OperationId(1), VolumeKey.of("db"), "two");
      listener.on(waiting);

      assertThat(values(CsiMeter.CONTROLLER_EVENTS))
          .containsOnly(
              Map.entry("session_uncertain", 1.0),
              Map.entry("session_lost", 1.0),
              Map.entry("session_recovered", 2.0),
              Map.entry("store_read_only", 1.0),
              Map.entry("store_writable", 1.0));
      assertThat(values(CsiMeter.CONTROLLER_WAITS)).as("the wait has not ended").isEmpty();
      listener.on(new ControllerEvent.Waited(waiting, Duration.ofSeconds(3)));
      assertThat(registry.get(CsiMeter.CONTROLLER_WAITS.id()).timer().totalTime(TimeUnit.SECONDS))
          .isEqualTo(3.0);
    }
  }

  @Test
  void aMeteredStoreIsTheStoreThatItMeters() {
    MemoryStore memory = new MemoryStore();
    try (CsiMetrics metrics = metrics(registry);
        RecordStore store = metrics.store(memory)) {
      assertThat(store.identity()).isEqualTo(memory.identity());
      assertThat(store.together()).isEqualTo(memory.together());
      assertThat(store.isShared()).isEqualTo(memory.isShared());
      assertThat(store.readOnly()).isEqualTo(memory.readOnly());
      assertThat(store.sealer()).isEqualTo(memory.sealer());
    }
  }
}
