package io.csi4j.examples.generated;

import java.util.Set;

/**
 * An assertion of AssertJ as it stands in the source of a test.
 *
 * @param label its description, the text given to {@code as}; empty if it has none
 * @param words the identifiers and the texts in it, those of the description left out
 * @param flaw why it proves nothing though it stands there; empty if it is sound
 */
record WrittenAssertion(String label, Set<String> words, String flaw) {

  /** True if the test cannot pass without it. */
  boolean isSound() {
    return flaw.isEmpty();
  }
}
