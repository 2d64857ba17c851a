package io.csi4j.benchmarks.calls;

import io.csi4j.benchmarks.Comparison;
import io.csi4j.benchmarks.Comparison.Goal;
import io.csi4j.benchmarks.Figures;
import io.csi4j.benchmarks.Unit;
import io.csi4j.benchmarks.calls.Cell.Measure;
import io.csi4j.benchmarks.calls.Cell.Style;
import io.csi4j.benchmarks.calls.Cell.Way;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Converts the windows of one JVM into rows of the report. */
final class Rows {

  /**
   * The comparison of asynchronous calls with the bare stub has no goal. Even a comparison of the
   * bare stub with itself, which is also measured, has a wider range than any useful goal.
   */
  private static final Optional<Goal> NO_GOAL = Optional.empty();

  private static final double BLOCKING = 1.05;
  private static final double EXTRA_BYTES = 1024;
  private static final double SWITCHED_OFF = 1.03;

  private static final double GO_ASYNC_MEDIAN = 0.8;
  private static final double GO_BLOCKING_MEDIAN = 1.2;

  /** The goal compared with Go at several calls in flight: 1.1 times the throughput. */
  private static final double GO_SEVERAL = 0.91;

  private static final double GO_MANY = 1.0;

  /**
   * The goal compared with Go with the default options, where each answer wakes a callback thread.
   * Go uses no such threads.
   */
  private static final double GO_ON_CALLBACK_THREADS = 1.1;

  private static final int MANY = 64;

  /** The operations whose asynchronous calls are also measured with the default options. */
  private static final List<Operation> WITH_DEFAULTS = List.of(Operation.PROBE, Operation.PUBLISH);

  private final Samples samples;
  private final List<Integer> sizes;
  private final List<Comparison> rows = new ArrayList<>();

  Rows(Samples samples, List<Integer> sizes) {
    this.samples = samples;
    this.sizes = sizes;
  }

  /** Returns all rows. */
  List<Comparison> all() {
    for (Operation operation : Operation.values()) {
      for (int size : sizes) {
        Cell cell = new Cell(Way.OURS_IN_PLACE, Style.ASYNC, operation, size);
        add("async in place", cell, "bare stub", Way.BARE_IN_PLACE, Measure.TIME, NO_GOAL);
      }
    }
    for (Operation operation : WITH_DEFAULTS) {
      for (int size : sizes) {
        Cell cell = new Cell(Way.OURS, Style.ASYNC, operation, size);
        add("async", cell, "bare stub, same threads", Way.BARE, Measure.TIME, NO_GOAL);
      }
    }
    for (Operation operation : Operation.values()) {
      for (int size : sizes) {
        Cell cell = new Cell(Way.OURS, Style.BLOCKING, operation, size);
        Optional<Goal> goal = size == 1 ? ratio(BLOCKING) : Optional.empty();
        add("blocking, median", cell, "bare stub", Way.BARE, Measure.MEDIAN, goal);
      }
    }
    controls();
    allocations();
    go();
    switchedOff();
    return rows;
  }

  /** Adds rows for the difference between two equal stubs. */
  private void controls() {
    for (int size : sizes) {
      Cell async = new Cell(Way.BARE_IN_PLACE_AGAIN, Style.ASYNC, Operation.PROBE, size);
      String text = "the bare stub again, ";
      add(text + "async in place", async, "bare stub", Way.BARE_IN_PLACE, Measure.TIME, NO_GOAL);
      Cell blocking = new Cell(Way.BARE_AGAIN, Style.BLOCKING, Operation.PROBE, size);
      add(text + "blocking, median", blocking, "bare stub", Way.BARE, Measure.MEDIAN, NO_GOAL);
    }
  }

  private void allocations() {
    Optional<Goal> goal = Goal.extra(EXTRA_BYTES);
    for (Operation operation : Operation.values()) {
      Cell async = new Cell(Way.OURS_IN_PLACE, Style.ASYNC, operation, 1);
      add("async in place, allocated", async, "bare stub", Way.BARE_IN_PLACE, Measure.BYTES, goal);
      Cell blocking = new Cell(Way.OURS, Style.BLOCKING, operation, 1);
      add("blocking, allocated", blocking, "bare stub", Way.BARE, Measure.BYTES, goal);
    }
  }

  private void go() {
    for (Operation operation : Operation.values()) {
      for (int size : sizes) {
        Cell async = new Cell(Way.OURS_IN_PLACE, Style.ASYNC, operation, size);
        if (size == 1) {
          addGo("async in place, median", async, Measure.MEDIAN, ratio(GO_ASYNC_MEDIAN));
          Cell blocking = new Cell(Way.OURS, Style.BLOCKING, operation, size);
          addGo("blocking, median", blocking, Measure.MEDIAN, ratio(GO_BLOCKING_MEDIAN));
        } else {
          Optional<Goal> goal = ratio(size >= MANY ? GO_MANY : GO_SEVERAL);
          addGo("async in place", async, Measure.TIME, goal);
        }
      }
    }
    for (Operation operation : WITH_DEFAULTS) {
      for (int size : sizes) {
        Cell cell = new Cell(Way.OURS, Style.ASYNC, operation, size);
        Optional<Goal> goal = size == 1 ? NO_GOAL : ratio(GO_ON_CALLBACK_THREADS);
        addGo("async", cell, Measure.TIME, goal);
      }
    }
  }

  private void addGo(String text, Cell cell, Measure measure, Optional<Goal> goal) {
    // The Go program makes only blocking calls, even in comparisons with asynchronous calls.
    Cell theirs = new Cell(Way.GO, Style.BLOCKING, cell.operation(), cell.inFlight());
    if (!samples.of(theirs, measure).isEmpty()) {
      add(text, cell, "Go", theirs, measure, goal);
    }
  }

  private void switchedOff() {
    Cell off = new Cell(Way.OURS_LOG_OFF, Style.ASYNC, Operation.PROBE, MeasureCalls.SEVERAL);
    Way limit = Way.OURS_WITHOUT_LOG;
    String text = "csi4j with wireLog(false)";
    add("wire log and listeners off", off, text, limit, Measure.TIME, ratio(SWITCHED_OFF));
    Cell listened = off.by(Way.OURS_LISTENED);
    add("a listener that does nothing", listened, text, limit, Measure.TIME, Optional.empty());
  }

  private static Optional<Goal> ratio(double most) {
    return Goal.ratio(most);
  }

  private void add(
      String text, Cell ours, String limit, Way way, Measure measure, Optional<Goal> goal) {
    add(text, ours, limit, ours.by(way), measure, goal);
  }

  private void add(
      String text, Cell ours, String limit, Cell theirs, Measure measure, Optional<Goal> goal) {
    rows.add(
        new Comparison(
            ours.operation().text() + ", " + text + ", JDK " + samples.jdk(),
            limit,
            ours.inFlight(),
            measure == Measure.BYTES ? Unit.BYTES : Unit.TIME,
            new Figures(samples.of(ours, measure)),
            new Figures(samples.of(theirs, measure)),
            goal));
  }
}
