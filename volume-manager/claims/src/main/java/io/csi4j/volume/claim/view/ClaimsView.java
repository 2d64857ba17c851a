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
 * A snapshot of the claims on the disk of this host. It is read without opening the store of the
 * claims, so nothing is written or locked, and a process may have the store open.
 *
 * <pre>{@code
 * for (Claim claim : ClaimsView.read(directory).claims()) {
 *   log.accept(claim.volume() + ": " + claim.holders().keySet());
 * }
 * }</pre>
 *
 * @param journal the journal that contains the claims
 * @param identity the identity of the store; empty if the store has no identity yet
 * @param claims the claims that can be read, by volume
 * @param unreadable for each claim that cannot be read, sentences that describe the problem
 * @param uncertainties the damage to the journal that no operator has settled yet; no claims are
 *     granted for the affected volumes
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
   * Returns the claims in the directory of a {@link LocalStore}.
   *
   * @throws RecordStoreException if the directory contains no state; if the state cannot be read,
   *     or was written by a newer version; or if it contains claims without the identity of a store
   * @throws IllegalArgumentException if the directory belongs to a volume manager
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
   * Returns all claims of a store on one page. The store may also be a read-only view, such as from
   * {@link LocalStore#look}.
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
