package io.csi4j.volume.catalog;

/**
 * How many instances of a plugin there should be, as their operator says.
 *
 * @param controllers how many controllers
 * @param nodes how many nodes
 * @since 1.0
 */
public record ExpectedInstances(int controllers, int nodes) {

  /** No number is expected. */
  public static final ExpectedInstances NONE = new ExpectedInstances(0, 0);

  /** Refuses negative numbers. */
  public ExpectedInstances {
    if (controllers < 0 || nodes < 0) {
      throw new IllegalArgumentException(
          "Fewer than no instances cannot be expected: " + controllers + " and " + nodes + ".");
    }
  }
}
