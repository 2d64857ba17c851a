package io.csi4j.volume.internal.claims;

import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimPage;
import io.csi4j.volume.internal.store.RecordValues;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.store.RecordKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Converts pages of records into pages of claims. */
public final class ClaimPages {

  private ClaimPages() {}

  /**
   * Returns a page of the claims after a volume. The last record of a page must have the name of a
   * volume, because the next page begins after this volume. Therefore, a page may be longer if the
   * store has records with other names.
   *
   * @param records returns a page of the records after a key
   */
  public static ClaimPage page(
      Optional<VolumeKey> after, Function<Optional<RecordKey>, RecordValues.Page<Claim>> records) {
    List<Claim> claims = new ArrayList<>();
    List<ClaimPage.Unreadable> unreadable = new ArrayList<>();
    Optional<RecordKey> next = after.map(ClaimCodec::key);
    do {
      RecordValues.Page<Claim> page = records.apply(next);
      page.records().forEach(each -> claims.add(each.value().orElseThrow()));
      page.unreadable().forEach(each -> unreadable.add(unreadable(each)));
      next = page.next();
    } while (next.isPresent() && next.get().volume().isEmpty());
    return new ClaimPage(claims, unreadable, next.flatMap(RecordKey::volume));
  }

  /** Returns an unreadable claim for a record that cannot be read. */
  public static ClaimPage.Unreadable unreadable(RecordValues.Unreadable record) {
    return new ClaimPage.Unreadable(
        record.key().toString(),
        record.key().volume(),
        String.valueOf(record.problem().getMessage()));
  }
}
