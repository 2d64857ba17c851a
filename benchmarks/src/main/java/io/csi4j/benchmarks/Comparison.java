package io.csi4j.benchmarks;

import java.util.Optional;

/**
 * One row of a report: an operation beside its limit, measured in turns in one run.
 *
 * @param operation what is done
 * @param limit what it is compared with
 * @param size how many things there were
 * @param ours the library
 * @param theirs the limit; empty if it could not be run
 * @param goal what is to be reached, if anything
 */
public record Comparison(
    String operation, String limit, int size, Figures ours, Figures theirs, Optional<Goal> goal) {

  /** What is to be reached. */
  public sealed interface Goal {

    /** Whether a row reaches it. */
    boolean isReachedBy(Comparison row);

    /** At most so many times what the limit needs. */
    record Ratio(double most) implements Goal {
      @Override
      public boolean isReachedBy(Comparison row) {
        return row.ratio() <= most;
      }

      @Override
      public String toString() {
        return "≤ " + most + " x";
      }
    }

    /** At most so many nanoseconds. */
    record Nanos(double most) implements Goal {
      @Override
      public boolean isReachedBy(Comparison row) {
        return row.ours().least() <= most;
      }

      @Override
      public String toString() {
        return "≤ " + Report.time(most);
      }
    }
  }

  /** How many times the limit's time the library needs, in the best window of each. */
  public double ratio() {
    return ours.least() / theirs.least();
  }

  /** The same of the medians. */
  public double medianRatio() {
    return ours.median() / theirs.median();
  }

  /** What came out of the goal; empty if there is none, or nothing to compare with. */
  public String verdict() {
    if (goal.isEmpty() || (theirs.isEmpty() && goal.get() instanceof Goal.Ratio)) {
      return "";
    }
    return goal.get() + (goal.get().isReachedBy(this) ? " reached" : " **missed**");
  }
}
