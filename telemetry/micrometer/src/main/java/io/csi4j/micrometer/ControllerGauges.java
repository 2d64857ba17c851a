package io.csi4j.micrometer;

import io.csi4j.volume.catalog.VolumeSummary;
import io.csi4j.volume.controller.ControlPlaneStatus;
import io.csi4j.volume.controller.ControlPlaneStatus.Pending;
import io.csi4j.volume.controller.ControlPlaneStatus.Session;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Exposes the status of control planes as gauges. All gauges of a scrape share one snapshot, which
 * is at most a second old and needs no call to a store. Taking a snapshot registers gauges for new
 * codes. It also removes the gauges of codes that no longer occur in pending operations.
 */
final class ControllerGauges {

  private static final long FRESH = Duration.ofSeconds(1).toNanos();

  private final Meters meters;
  private final LongSupplier nanoTime;
  private final List<Supplier<ControlPlaneStatus>> controllers = new CopyOnWriteArrayList<>();

  /**
   * Guards the fields below. A thread holds this lock while it reads the status of the control
   * planes.
   */
  private final ReentrantLock looking = new ReentrantLock();

  private Map<Series, Double> seen = Map.of();
  private long lookedAt;
  private boolean isStale = true;

  /**
   * A time series.
   *
   * @param meter the meter of the series
   * @param values the values of the tags, in the order of the keys
   */
  private record Series(CsiMeter meter, List<String> values) {

    String[] tags() {
      return values.toArray(String[]::new);
    }
  }

  ControllerGauges(Meters meters, LongSupplier nanoTime) {
    this.meters = meters;
    this.nanoTime = nanoTime;
  }

  /** Begins to watch a control plane. Closing the returned object ends the watch. */
  AutoCloseable watch(Supplier<ControlPlaneStatus> controller) {
    controllers.add(controller);
    again();
    return () -> {
      controllers.remove(controller);
      again();
    };
  }

  /** Stops watching all control planes. */
  void close() {
    controllers.clear();
  }

  private void again() {
    looking.lock();
    try {
      isStale = true;
      look();
    } finally {
      looking.unlock();
    }
  }

  private double looked(DoubleSupplier figure) {
    looking.lock();
    try {
      if (isStale || nanoTime.getAsLong() - lookedAt > FRESH) {
        look();
      }
      return figure.getAsDouble();
    } finally {
      looking.unlock();
    }
  }

  private void look() {
    Map<Series, Double> found = new HashMap<>();
    controllers.forEach(controller -> add(controller.get(), found));
    Set<Series> gone = new HashSet<>(seen.keySet());
    gone.removeAll(found.keySet());
    gone.forEach(series -> meters.remove(series.meter(), series.tags()));
    Set<Series> begun = new HashSet<>(found.keySet());
    begun.removeAll(seen.keySet());
    seen = found;
    lookedAt = nanoTime.getAsLong();
    isStale = false;
    begun.forEach(
        series ->
            meters.gauge(
                series.meter(), () -> looked(() -> seen.getOrDefault(series, 0.0)), series.tags()));
  }

  private static void add(ControlPlaneStatus status, Map<Series, Double> found) {
    for (VolumeSummary.State state : VolumeSummary.State.values()) {
      int volumes = status.volumes().getOrDefault(state, 0);
      add(found, CsiMeter.CONTROLLER_VOLUMES, volumes, ControllerMeters.word(state.name()));
    }
    add(found, CsiMeter.CONTROLLER_VOLUMES, status.unreadable(), "unreadable");
    add(found, CsiMeter.CONTROLLER_WORK, status.here(), "here");
    add(found, CsiMeter.CONTROLLER_WORK, status.elsewhere(), "elsewhere");
    for (Session state : Session.values()) {
      double is = status.session() == state ? 1 : 0;
      add(found, CsiMeter.SESSION, is, ControllerMeters.word(state.name()));
    }
    add(found, CsiMeter.UPKEEP, status.chores().size());
    add(found, CsiMeter.READ_ONLY, status.readOnly().isPresent() ? 1 : 0);
    raise(found, CsiMeter.VIEW_AGE, status.viewAge());
    status.pending().forEach(pending -> add(pending, status, found));
  }

  private static void add(Pending pending, ControlPlaneStatus status, Map<Series, Double> found) {
    String operation = ControllerMeters.word(pending.operation().name());
    add(
        found,
        CsiMeter.PENDING,
        1,
        operation,
        pending.isHeld() ? "held" : "in_progress",
        ControllerMeters.code(pending.failure()));
    raise(
        found,
        CsiMeter.PENDING_AGE,
        pending.since().map(since -> Duration.between(since, status.at())).orElse(Duration.ZERO),
        operation);
  }

  private static void add(
      Map<Series, Double> found, CsiMeter meter, double value, String... values) {
    found.merge(new Series(meter, List.of(values)), value, Double::sum);
  }

  private static void raise(
      Map<Series, Double> found, CsiMeter meter, Duration time, String... values) {
    found.merge(new Series(meter, List.of(values)), time.toMillis() / 1000.0, Double::max);
  }
}
