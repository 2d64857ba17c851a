package io.csi4j.testkit.internal.scenario;

/** Thrown when a scenario cannot go on, because something did not come out as expected. */
public final class Stuck extends Exception {

  private static final long serialVersionUID = 1;

  Stuck(String problem) {
    super(problem, null, false, false);
  }
}
