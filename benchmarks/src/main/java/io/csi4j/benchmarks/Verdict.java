package io.csi4j.benchmarks;

/** The result of a goal. */
public enum Verdict {
  REACHED("reached"),
  MISSED("**missed**"),
  WITHIN_NOISE("within noise");

  private final String text;

  Verdict(String text) {
    this.text = text;
  }

  /**
   * Judges a figure by its range: the goal is reached if all of it is at or below {@code most},
   * missed if all of it is above, and otherwise the measurement is too noisy to say.
   */
  static Verdict of(Estimate figure, double most) {
    if (figure.high() <= most) {
      return REACHED;
    }
    return figure.low() > most ? MISSED : WITHIN_NOISE;
  }

  /** The verdict as it stands on pages. */
  public String text() {
    return text;
  }
}
