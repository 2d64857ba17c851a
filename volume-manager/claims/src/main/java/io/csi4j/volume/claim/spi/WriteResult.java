package io.csi4j.volume.claim.spi;

import io.csi4j.volume.model.ReasonText;

/**
 * The result of a try to write a claim.
 *
 * @since 1.0
 */
public sealed interface WriteResult {

  /**
   * The claim is written.
   *
   * @param now the claim with its new version
   */
  record Written(Versioned now) implements WriteResult {}

  /**
   * The claim is not written, and never will be: another version than the expected one is there.
   *
   * @param now the claim that is there
   */
  record Conflict(Versioned now) implements WriteResult {}

  /**
   * The claim may be written or not, now or later. Reading again shows it, by the mark of the
   * write.
   *
   * @param because the reason, as a clause for people
   */
  record Unknown(ReasonText because) implements WriteResult {}
}
