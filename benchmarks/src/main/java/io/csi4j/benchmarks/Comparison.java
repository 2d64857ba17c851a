package io.csi4j.benchmarks;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * One row of a report: an operation beside its limit, measured in turns in one run.
 *
 * @param operation what is done
 * @param limit what it is compared with; empty if with nothing
 * @param size how many things there were
 * @param unit what the figures count
 * @param ours the library
 * @param theirs the limit; empty if there is none, or it could not be run
 * @param goal what is to be reached, if anything
 */
public record Comparison(
    String operation,
    String limit,
    int size,
    Unit unit,
    Figures ours,
    Figures theirs,
    Optional<Goal> goal) {

  /** What is to be reached: by the medians, unless it says otherwise. */
  public sealed interface Goal {

    /** Whether a row reaches it. */
    boolean isReachedBy(Comparison row);

    /** The goal as text, for figures of this unit. */
    String text(Unit unit);

    /** At most so many times what the limit needs. */
    static Optional<Goal> ratio(double most) {
      return Optional.of(new Ratio(most));
    }

    /** At most so many times what the limit needs, in the best window of each. */
    static Optional<Goal> bestRatio(double most) {
      return Optional.of(new BestRatio(most));
    }

    /** At most so much. */
    static Optional<Goal> most(double most) {
      return Optional.of(new Most(most));
    }

    /** At most so much more than the limit. */
    static Optional<Goal> extra(double most) {
      return Optional.of(new Extra(most));
    }

    /** At most so many times what the limit needs. */
    record Ratio(double most) implements Goal {
      @Override
      public boolean isReachedBy(Comparison row) {
        return row.ratio() <= most;
      }

      @Override
      public String text(Unit unit) {
        return "≤ " + most + " x";
      }
    }

    /** At most so many times what the limit needs, in the best window of each. */
    record BestRatio(double most) implements Goal {
      @Override
      public boolean isReachedBy(Comparison row) {
        return row.bestRatio() <= most;
      }

      @Override
      public String text(Unit unit) {
        return "≤ " + most + " x of the bests";
      }
    }

    /** At most so much. */
    record Most(double most) implements Goal {
      @Override
      public boolean isReachedBy(Comparison row) {
        return row.ours().median() <= most;
      }

      @Override
      public String text(Unit unit) {
        return "≤ " + unit.text(most);
      }
    }

    /** At most so much more than the limit. */
    record Extra(double most) implements Goal {
      @Override
      public boolean isReachedBy(Comparison row) {
        return row.ours().median() - row.theirs().median() <= most;
      }

      @Override
      public String text(Unit unit) {
        return "≤ " + unit.text(most) + " more";
      }
    }
  }

  /** A row of times beside a limit. */
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

  /** A row beside nothing. */
  public static Comparison alone(
      String operation, int size, Unit unit, List<Double> ours, Optional<Goal> goal) {
    return new Comparison(
        operation, "", size, unit, new Figures(ours), new Figures(List.of()), goal);
  }

  /** How many times its neighbour of the limit each window is; none if they are no neighbours. */
  public Figures ratios() {
    return ours.over(theirs);
  }

  /** How many times the limit's figure the library needs: what half of the windows are below. */
  public double ratio() {
    Figures ratios = ratios();
    return ratios.isEmpty() ? bestRatio() : ratios.median();
  }

  /** The same in the best window of each. */
  public double bestRatio() {
    return ours.least() / theirs.least();
  }

  /** The one of the two that the goal, if any, is judged by. */
  public double judgedRatio() {
    return goal.isPresent() && goal.get() instanceof Goal.BestRatio ? bestRatio() : ratio();
  }

  /** What came out of the goal; empty if there is none, or nothing to compare with. */
  public String verdict() {
    if (goal.isEmpty() || (theirs.isEmpty() && !(goal.get() instanceof Goal.Most))) {
      return "";
    }
    return goal.get().text(unit) + (goal.get().isReachedBy(this) ? " reached" : " **missed**");
  }

  /** For who watches a run. */
  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "%-44s %6d  %12s  %s  %s",
        operation,
        size,
        unit.text(ours.least()),
        theirs.isEmpty() ? "" : String.format(Locale.ROOT, "x %.2f of %s", judgedRatio(), limit),
        verdict());
  }
}
