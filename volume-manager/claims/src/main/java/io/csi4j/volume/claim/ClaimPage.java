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
 * A page of the claims of a store, in the order of their volumes. Claims that cannot be read are
 * listed separately, and do not affect the others.
 *
 * @param claims the claims that can be read
 * @param unreadable the claims that cannot be read: they exist, but their contents are not known
 * @param next the volume after which the next page begins; empty on the last page
 * @since 1.0
 */
public record ClaimPage(List<Claim> claims, List<Unreadable> unreadable, Optional<VolumeKey> next) {

  /**
   * A claim that cannot be read: its record is damaged, or a newer version wrote it.
   *
   * @param key the key of its record in the store
   * @param volume the volume, if the store knows it with certainty. Otherwise, the claim may be of
   *     any volume; reading the claim of that volume fails
   * @param problem the problem and the next step, in sentences and without secrets
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
