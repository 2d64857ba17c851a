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
 * Some of the claims of a store, in the order of their volumes. A claim that cannot be read is
 * reported beside the others, and hides none of them.
 *
 * @param claims the claims that can be read
 * @param unreadable the claims that cannot be read: what they say is not known, but they are there
 * @param next the volume behind which the next page begins; nothing if this is the last page
 * @since 1.0
 */
public record ClaimPage(List<Claim> claims, List<Unreadable> unreadable, Optional<VolumeKey> next) {

  /**
   * A claim that cannot be read: its record is damaged, or a newer version wrote it.
   *
   * @param key the key of its record in the store
   * @param volume the volume, if the store knows it for sure. If it does not, the claim may be that
   *     of any volume; reading the claim of that volume fails all the same
   * @param problem what is wrong and what to do, in sentences and without secrets
   */
  public record Unreadable(String key, Optional<VolumeKey> volume, String problem) {

    /** Checks that all parts are there. */
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
