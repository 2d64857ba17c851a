package io.csi4j.volume.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.volume.internal.catalog.CatalogCodec;
import io.csi4j.volume.internal.catalog.CatalogRecord;
import io.csi4j.volume.internal.store.RecordValues;
import io.csi4j.volume.internal.store.RecordValues.Seen;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.RecordStore.WriteResult;
import io.csi4j.volume.store.RecordWrite;
import java.util.List;
import java.util.Optional;

/**
 * The records of a catalog, for tests that look into a store, or put into it what is left there.
 */
public final class StoredCatalog {

  private static final int MOST = 10_000;

  private StoredCatalog() {}

  /** Returns what is on record of all volumes. */
  public static List<CatalogEntry> entries(RecordStore store) {
    RecordValues.Page<CatalogRecord> page = records(store).page(Optional.empty(), MOST);
    assertThat(page.unreadable()).isEmpty();
    return page.records().stream().map(each -> each.value().orElseThrow().entry()).toList();
  }

  /** Returns what is on record of a volume. */
  public static Optional<CatalogEntry> entry(RecordStore store, VolumeKey key) {
    return record(store, key).map(CatalogRecord::entry);
  }

  /** Returns the record of a volume. */
  public static Optional<CatalogRecord> record(RecordStore store, VolumeKey key) {
    return records(store).read(CatalogCodec.key(key)).value();
  }

  /** Writes what is on record of a volume, on which nobody works. */
  public static void put(RecordStore store, CatalogEntry entry) {
    put(store, CatalogRecord.of(entry));
  }

  /** Writes the record of a volume. */
  public static void put(RecordStore store, CatalogRecord record) {
    RecordValues<CatalogRecord> records = records(store);
    Seen<CatalogRecord> before = records.read(CatalogCodec.key(record.entry().key()));
    assertThat(store.write(records.draft(before, Optional.of(record))))
        .isInstanceOf(WriteResult.Written.class);
  }

  /** Returns what a write leaves on record; nothing if it removes the record. */
  public static Optional<CatalogRecord> written(RecordStore store, RecordWrite write) {
    return write
        .next()
        .map(
            value ->
                records(store)
                    .seen(new io.csi4j.volume.store.StoredRecord(write.key(), 1, value))
                    .value()
                    .orElseThrow());
  }

  private static RecordValues<CatalogRecord> records(RecordStore store) {
    return new RecordValues<>(store, new CatalogCodec());
  }
}
