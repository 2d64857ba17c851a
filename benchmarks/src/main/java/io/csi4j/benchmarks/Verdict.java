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
   * Judges a figure by its range. The goal is reached if the complete range is at or below {@code
   * most}, and missed if the complete range is above. Otherwise the measurement is too noisy for a
   * verdict.
   */
  static Verdict of(Estimate figure, double most) {
    if (figure.high() <= most) {
      return REACHED;
    }
    return figure.low() > most ? MISSED : WITHIN_NOISE;
  }

  /** Returns the verdict as shown on pages. */
  public String text() {
    return text;
  }
}
