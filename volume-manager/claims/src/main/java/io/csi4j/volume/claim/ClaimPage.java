package io.csi4j.volume.claim;

import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.VolumeKey;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * A page of the claims in a store, in the order of their volumes. Claims that cannot be read are
 * listed separately; all other claims of the page are still returned.
 *
 * @param claims the claims that can be read
 * @param unreadable the claims that exist but cannot be read
 * @param next the volume after which the next page begins; empty on the last page
 * @since 1.0
 */
public record ClaimPage(List<Claim> claims, List<Unreadable> unreadable, Optional<VolumeKey> next) {

  /**
   * A claim that cannot be read, because its record is damaged or a newer version wrote it.
   *
   * @param key the key of the claim's record in the store
   * @param volume the volume; empty if the store cannot determine it with certainty. In that case,
   *     the claim may belong to any volume, and reading the claim of that volume fails
   * @param problem sentences that describe the problem and the next step, without secrets
   */
  public record Unreadable(String key, Optional<VolumeKey> volume, String problem) {

    /** Checks that all parts are present. */
    public Unreadable {
      Objects.requireNonNull(key, "key");
      Objects.requireNonNull(volume, "volume");
      Objects.requireNonNull(problem, "problem");
    }

    /** Returns the message for an operator, with {@link OperatorCode#CLAIM_UNREADABLE}. */
    public OperatorMessage message() {
      String which =
          volume.map(it -> "of volume '" + it + "'").orElseGet(() -> "under the key '" + key + "'");
      return Messages.of(
          OperatorCode.CLAIM_UNREADABLE, Subject.of("reading the claim " + which), problem);
    }
  }

  /** Copies the lists. */
  public ClaimPage {
    claims = List.copyOf(claims);
    unreadable = List.copyOf(unreadable);
    Objects.requireNonNull(next, "next");
  }
}
