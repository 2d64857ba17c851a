package io.csi4j.volume.claim.store;

import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.spi.ClaimPage;
import io.csi4j.volume.internal.claims.ClaimRecord;
import io.csi4j.volume.state.StateException;
import io.csi4j.volume.state.Uncertainty;
import io.csi4j.volume.state.journal.JournalView;
import io.csi4j.volume.store.StoreIdentity;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The claims on the disk of this host at one moment, read without opening their store: nothing is
 * written or locked, whether the store is open or not.
 *
 * <pre>{@code
 * for (Claim claim : ClaimsView.read(directory).claims()) {
 *   log.accept(claim.volume() + ": " + claim.holders().keySet());
 * }
 * }</pre>
 *
 * @param journal the state that holds them
 * @param identity which store it is; nothing if it does not say so
 * @param claims the claims that can be read, by volume
 * @param unreadable what is wrong with each of the others, in sentences
 * @param uncertainties the damage after which nothing is claimed of some volumes
 * @since 1.0
 */
public record ClaimsView(
    JournalView journal,
    Optional<StoreIdentity> identity,
    List<Claim> claims,
    List<String> unreadable,
    List<Uncertainty> uncertainties) {

  /** Copies the lists. */
  public ClaimsView {
    Objects.requireNonNull(journal, "journal");
    Objects.requireNonNull(identity, "identity");
    claims = List.copyOf(claims);
    unreadable = List.copyOf(unreadable);
    uncertainties = List.copyOf(uncertainties);
  }

  /**
   * Reads the claims in the directory of a {@link LocalClaimStore}.
   *
   * @throws io.csi4j.volume.store.RecordStoreException if there is no state, a newer version wrote
   *     it, or it cannot be read; or if it holds claims and cannot say of which store
   * @throws IllegalArgumentException if it is the directory of a volume manager, or its state
   */
  public static ClaimsView read(Path directory) {
    JournalView journal;
    try {
      journal = JournalView.read(directory);
    } catch (StateException missing) {
      if (Files.isDirectory(directory.resolve("state"))
          && Files.isDirectory(directory.resolve("v"))) {
        throw new IllegalArgumentException(
            "Reading the claims in "
                + directory
                + " failed: it is the directory of a volume manager. Give the directory of a"
                + " LocalClaimStore.",
            missing);
      }
      throw LocalClaimStore.unavailable(missing);
    }
    LocalClaimStore.StoredClaims stored = LocalClaimStore.StoredClaims.of(journal.state());
    return new ClaimsView(
        journal,
        stored.identity(),
        stored.claims().values().stream().map(ClaimRecord::claim).toList(),
        stored.told().stream().map(ClaimPage.Unreadable::problem).toList(),
        stored.uncertainties());
  }
}
