package io.csi4j.benchmarks;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * One row of a report: an operation of the library and its limit, measured alternately in one run.
 *
 * @param operation the operation that is measured
 * @param limit the name of the comparison; empty if the operation is not compared
 * @param size the number of objects, such as volumes
 * @param unit the unit of the figures
 * @param ours the figures of the library
 * @param theirs the figures of the limit; empty if there is no limit, or it could not be run
 * @param goal the goal, if there is one
 */
public record Comparison(
    String operation,
    String limit,
    int size,
    Unit unit,
    Figures ours,
    Figures theirs,
    Optional<Goal> goal) {

  /** A goal for a figure of a row. */
  public sealed interface Goal {

    /** The largest figure that reaches the goal. */
    double most();

    /** Computes the figure from the windows of both sides with these indexes. */
    double figure(Comparison row, int[] ours, int[] theirs);

    /** The goal as text, for figures of this unit. */
    String text(Unit unit);

    /** A goal for the ratio of the medians. */
    static Optional<Goal> ratio(double most) {
      return Optional.of(new Ratio(most));
    }

    /** A goal for the library's median. */
    static Optional<Goal> most(double most) {
      return Optional.of(new Most(most));
    }

    /** A goal for the difference of the medians. */
    static Optional<Goal> extra(double most) {
      return Optional.of(new Extra(most));
    }

    /** A goal for the ratio of the medians. */
    record Ratio(double most) implements Goal {
      @Override
      public double figure(Comparison row, int[] ours, int[] theirs) {
        return row.ours.median(ours) / row.theirs.median(theirs);
      }

      @Override
      public String text(Unit unit) {
        return "≤ " + most + " x";
      }
    }

    /** A goal for the library's median. */
    record Most(double most) implements Goal {
      @Override
      public double figure(Comparison row, int[] ours, int[] theirs) {
        return row.ours.median(ours);
      }

      @Override
      public String text(Unit unit) {
        return "≤ " + unit.text(most);
      }
    }

    /** A goal for the difference of the medians. */
    record Extra(double most) implements Goal {
      @Override
      public double figure(Comparison row, int[] ours, int[] theirs) {
        return row.ours.median(ours) - row.theirs.median(theirs);
      }

      @Override
      public String text(Unit unit) {
        return "≤ " + unit.text(most) + " more";
      }
    }
  }

  /** Creates a row of times that are compared with a limit. */
  public static Comparison ofTimes(
      String operation,
      String limit,
      int size,
      List<Double> ours,
      List<Double> theirs,
      Optional<Goal> goal) {
    return new Comparison(
        operation, limit, size, Unit.TIME, new Figures(ours), new Figures(theirs), goal);
  }

  /** Creates a row without a comparison. */
  public static Comparison alone(
      String operation, int size, Unit unit, List<Double> ours, Optional<Goal> goal) {
    return new Comparison(
        operation, "", size, unit, new Figures(ours), new Figures(List.of()), goal);
  }

  /** The library's median divided by the limit's. */
  public Estimate ratio() {
    return estimate(new Goal.Ratio(0));
  }

  /**
   * Returns the verdict about the goal; empty if there is no goal, or no figures to compare with.
   */
  public Optional<Verdict> verdict() {
    return goal.filter(it -> !theirs.isEmpty() || it instanceof Goal.Most)
        .map(it -> Verdict.of(estimate(it), it.most()));
  }

  private Estimate estimate(Goal of) {
    return Estimate.of(ours.count(), theirs.count(), (our, their) -> of.figure(this, our, their));
  }

  /** Returns the row as text, for a person who watches the run. */
  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "%-44s %6d  %12s  %s  %s",
        operation,
        size,
        unit.text(ours.median()),
        theirs.isEmpty() ? "" : "x " + ratio().asRatio() + " of " + limit,
        verdict().map(Verdict::text).orElse(""));
  }
}
