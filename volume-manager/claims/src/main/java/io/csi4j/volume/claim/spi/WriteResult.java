package io.csi4j.volume.claim.spi;

import io.csi4j.volume.model.Clause;

/** What came of a try to write a claim. */
public sealed interface WriteResult {

  /**
   * It is written.
   *
   * @param now the claim with its new version
   */
  record Written(Versioned now) implements WriteResult {}

  /**
   * It is not written, and never will be: another version than the expected one is there.
   *
   * @param now what is there
   */
  record Conflict(Versioned now) implements WriteResult {}

  /**
   * Nobody knows whether it is written, or will be. Reading again shows it, by the mark of the
   * write.
   *
   * @param because why, as a clause for people
   */
  record Unknown(Clause because) implements WriteResult {}
}
