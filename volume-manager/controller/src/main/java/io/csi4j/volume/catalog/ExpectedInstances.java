package io.csi4j.volume.catalog;

/**
 * The number of instances of a plugin that should exist, as set by an operator.
 *
 * @param controllers the expected number of controllers
 * @param nodes the expected number of nodes
 * @since 1.0
 */
public record ExpectedInstances(int controllers, int nodes) {

  /** No number is expected. */
  public static final ExpectedInstances NONE = new ExpectedInstances(0, 0);

  /** Rejects negative numbers. */
  public ExpectedInstances {
    if (controllers < 0 || nodes < 0) {
      throw new IllegalArgumentException(
          "The number of expected instances must not be negative: "
              + controllers
              + " and"
              + " "
              + nodes
              + ".");
    }
  }
}
