package io.csi4j.volume.catalog;

import io.csi4j.volume.internal.catalog.CatalogRecord;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.state.seal.Sealer;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.RecordWrite;
import io.csi4j.volume.store.StoreIdentity;
import io.csi4j.volume.store.StoredRecord;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** A store that lets a test do something around each write of a volume. */
public class SteppingStore implements RecordStore {

  private final RecordStore store;
  private final Around around;

  /** Something around a write. */
  @FunctionalInterface
  public interface Around {

    /**
     * Makes the write, with something before or after it.
     *
     * @param next what is on record then; nothing if the record is removed
     */
    WriteResult write(Optional<CatalogRecord> next, Supplier<WriteResult> write);
  }

  public SteppingStore(RecordStore store, Around around) {
    this.store = store;
    this.around = around;
  }

  @Override
  public Optional<StoredRecord> read(RecordKey key) {
    return store.read(key);
  }

  @Override
  public WriteResult write(List<RecordWrite> writes) {
    RecordWrite first = writes.get(0);
    return first.key().space() == RecordKey.Space.VOLUMES
        ? around.write(StoredCatalog.written(store, first), () -> store.write(writes))
        : store.write(writes);
  }

  @Override
  public int together() {
    return store.together();
  }

  @Override
  public Page scan(RecordKey.Space space, Optional<RecordKey> after, int limit) {
    return store.scan(space, after, limit);
  }

  @Override
  public Watch watch(RecordKey.Space space) {
    return store.watch(space);
  }

  @Override
  public StoreIdentity identity() {
    return store.identity();
  }

  @Override
  public Optional<ReasonText> uncertainty(RecordKey key) {
    return store.uncertainty(key);
  }

  @Override
  public Optional<ReasonText> readOnly() {
    return store.readOnly();
  }

  @Override
  public boolean isShared() {
    return store.isShared();
  }

  @Override
  public Optional<Sealer> sealer() {
    return store.sealer();
  }

  @Override
  public void close() {
    store.close();
  }
}
