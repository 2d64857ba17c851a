package io.csi4j.volume.controller;

import io.csi4j.volume.catalog.CatalogEntry;
import io.csi4j.volume.catalog.CatalogEntry.PendingSnapshot;
import io.csi4j.volume.catalog.CatalogEntry.State;
import io.csi4j.volume.internal.catalog.CatalogCodec;
import io.csi4j.volume.state.StateValue;
import java.util.Optional;

/**
 * The space limits of a volume's record. A record is one value of a store and has at most {@link
 * StateValue#MAX_SIZE} bytes. The entry of a volume may use less than that: the same record also
 * holds the work in progress on the volume and its snapshots, including work that makes the record
 * smaller.
 */
final class CatalogRoom {

  /**
   * The maximum number of bytes of a volume's entry; the rest of the value is reserved for work.
   */
  static final int MOST = StateValue.MAX_SIZE - 8 * 1024;

  /**
   * The maximum number of bytes at which a snapshot may begin; the rest is reserved for answers and
   * other changes.
   */
  static final int MOST_TO_CUT = MOST - 8 * 1024;

  private CatalogRoom() {}

  /**
   * Returns why a record is not written; empty if it may be. A record that does not grow is always
   * written, and so is a deletion, which ends with no record.
   */
  static Optional<String> refusal(Optional<CatalogEntry> before, CatalogEntry next) {
    int size = CatalogCodec.size(next);
    return size <= MOST
            || next.state() instanceof State.Deleting
            || before.filter(it -> size <= CatalogCodec.size(it)).isPresent()
        ? Optional.empty()
        : Optional.of("it would have " + size + " bytes, but the limit is " + MOST + asked(next));
  }

  /** Returns why a snapshot does not begin; empty if there is space for it. */
  static Optional<String> refusal(CatalogEntry record, PendingSnapshot cut) {
    int size = CatalogCodec.size(record.with(cut));
    return size <= MOST_TO_CUT
        ? Optional.empty()
        : Optional.of(
            "with another snapshot it would have "
                + size
                + " bytes, but the limit for a new snapshot is "
                + MOST_TO_CUT
                + asked(record));
  }

  private static String asked(CatalogEntry record) {
    int cuts = record.pendingSnapshots().size();
    return cuts == 0 ? "" : "; " + cuts + " of its snapshots are neither kept nor dropped";
  }
}
