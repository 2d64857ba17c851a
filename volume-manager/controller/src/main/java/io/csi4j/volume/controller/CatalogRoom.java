package io.csi4j.volume.controller;

import io.csi4j.volume.catalog.CatalogEntry;
import io.csi4j.volume.catalog.CatalogEntry.PendingSnapshot;
import io.csi4j.volume.catalog.CatalogEntry.State;
import io.csi4j.volume.internal.catalog.CatalogCodec;
import io.csi4j.volume.state.StateValue;
import java.util.Optional;

/**
 * The room in the record of a volume. A record is one value of a store, of {@link
 * StateValue#MAX_SIZE} bytes at most. What is on record of a volume may take less than that: work
 * on the volume, and on its snapshots, stands in the same record while it is done, also the work
 * that makes the record smaller.
 */
final class CatalogRoom {

  /** The most bytes that are on record of a volume; the rest of a value is for work. */
  static final int MOST = StateValue.MAX_SIZE - 8 * 1024;

  /** The most bytes with which a snapshot begins; the rest is for answers and other changes. */
  static final int MOST_TO_CUT = MOST - 8 * 1024;

  private CatalogRoom() {}

  /**
   * Returns why a record is not written; nothing if it may be. A record that becomes no larger is
   * written, and so is a deletion: it ends with no record at all.
   */
  static Optional<String> refusal(Optional<CatalogEntry> before, CatalogEntry next) {
    int size = CatalogCodec.size(next);
    return size <= MOST
            || next.state() instanceof State.Deleting
            || before.filter(it -> size <= CatalogCodec.size(it)).isPresent()
        ? Optional.empty()
        : Optional.of("it would have " + size + " bytes, and may have " + MOST + asked(next));
  }

  /** Returns why a snapshot does not begin; nothing if there is room for it. */
  static Optional<String> refusal(CatalogEntry record, PendingSnapshot cut) {
    int size = CatalogCodec.size(record.with(cut));
    return size <= MOST_TO_CUT
        ? Optional.empty()
        : Optional.of(
            "with another snapshot it would have "
                + size
                + " bytes, and a snapshot begins with "
                + MOST_TO_CUT
                + " at most"
                + asked(record));
  }

  private static String asked(CatalogEntry record) {
    int cuts = record.pendingSnapshots().size();
    return cuts == 0 ? "" : "; " + cuts + " of its snapshots are neither kept nor dropped";
  }
}
