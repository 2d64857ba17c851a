package io.csi4j.testkit.junit;

/** Thrown when a test left something behind: says what, and what to do. A failed assertion. */
final class LeftoverException extends AssertionError {

  private static final long serialVersionUID = 1;

  LeftoverException(String message) {
    super(message);
  }
}
