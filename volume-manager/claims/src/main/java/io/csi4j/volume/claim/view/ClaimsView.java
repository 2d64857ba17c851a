package io.csi4j.volume.claim.view;

import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimPage;
import io.csi4j.volume.internal.claims.ClaimCodec;
import io.csi4j.volume.internal.claims.ClaimPages;
import io.csi4j.volume.internal.store.LocalRecords;
import io.csi4j.volume.internal.store.RecordValues;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.state.Uncertainty;
import io.csi4j.volume.state.journal.JournalView;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.RecordStoreException;
import io.csi4j.volume.store.StoreIdentity;
import io.csi4j.volume.store.local.LocalStore;
import io.csi4j.volume.store.local.MemoryStore;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The claims on the disk of this host at one moment, read without opening their store: nothing is
 * written or locked, and the store may be open.
 *
 * <pre>{@code
 * for (Claim claim : ClaimsView.read(directory).claims()) {
 *   log.accept(claim.volume() + ": " + claim.holders().keySet());
 * }
 * }</pre>
 *
 * @param journal the state that contains the claims
 * @param identity the identity of the store; empty if the state has none
 * @param claims the claims that can be read, by volume
 * @param unreadable the problem of each other claim, in sentences
 * @param uncertainties the damage because of which no claim of some volumes is granted
 * @since 1.0
 */
public record ClaimsView(
    JournalView journal,
    Optional<StoreIdentity> identity,
    List<Claim> claims,
    List<String> unreadable,
    List<Uncertainty> uncertainties) {

  private static final int PAGE = 256;

  /** Copies the lists. */
  public ClaimsView {
    Objects.requireNonNull(journal, "journal");
    Objects.requireNonNull(identity, "identity");
    claims = List.copyOf(claims);
    unreadable = List.copyOf(unreadable);
    uncertainties = List.copyOf(uncertainties);
  }

  /**
   * Reads the claims in the directory of a {@link LocalStore}.
   *
   * @throws RecordStoreException if there is no state, a newer version wrote it, or it cannot be
   *     read; or if it contains claims without the identity of a store
   * @throws IllegalArgumentException if it is the directory of a volume manager, or its state
   */
  public static ClaimsView read(Path directory) {
    JournalView journal = LocalRecords.journal(directory);
    LocalRecords stored = LocalRecords.of(journal.state());
    RecordValues.Page<Claim> page =
        new RecordValues<>(new MemoryStore(), new ClaimCodec())
            .page(stored.in(RecordKey.Space.CLAIMS), Optional.empty());
    return new ClaimsView(
        journal,
        stored.identity(),
        page.records().stream().flatMap(each -> each.value().stream()).toList(),
        page.unreadable().stream()
            .map(each -> String.valueOf(each.problem().getMessage()))
            .toList(),
        stored.uncertainties());
  }

  /**
   * Returns all claims of a store on one page; the store may be one that was opened for a look.
   *
   * @throws RecordStoreException if the store cannot answer
   */
  public static ClaimPage all(RecordStore store) {
    RecordValues<Claim> records = new RecordValues<>(store, new ClaimCodec());
    List<Claim> claims = new ArrayList<>();
    List<ClaimPage.Unreadable> unreadable = new ArrayList<>();
    Optional<VolumeKey> after = Optional.empty();
    do {
      ClaimPage page = ClaimPages.page(after, behind -> records.page(behind, PAGE));
      claims.addAll(page.claims());
      unreadable.addAll(page.unreadable());
      after = page.next();
    } while (after.isPresent());
    return new ClaimPage(claims, unreadable, Optional.empty());
  }
}
