package io.csi4j.volume.store.local;

import io.csi4j.volume.internal.seal.SealedBytes;
import io.csi4j.volume.internal.store.LocalRecords;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.state.LoadedState;
import io.csi4j.volume.state.StateKey;
import io.csi4j.volume.state.StateValue;
import io.csi4j.volume.state.journal.JournalView;
import io.csi4j.volume.state.seal.SealException;
import io.csi4j.volume.state.seal.Sealer;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.RecordStoreException;
import io.csi4j.volume.store.RecordStoreException.Reason;
import io.csi4j.volume.store.RecordWrite;
import io.csi4j.volume.store.StoreIdentity;
import io.csi4j.volume.store.StoredRecord;
import java.nio.file.Path;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** A read-only snapshot of the records of a local store, read without opening the store. */
final class LocalLook implements RecordStore {

  /** The value for a store that has no identity yet. */
  private static final StoreIdentity NONE = new StoreIdentity("(none)");

  private final LocalRecords stored;
  private final NavigableMap<RecordKey, StoredRecord> records;

  private LocalLook(LocalRecords stored) {
    this.stored = stored;
    this.records = new TreeMap<>(stored.records());
  }

  static LocalLook of(Path directory, Optional<Sealer> sealer) {
    JournalView journal = LocalRecords.journal(directory);
    LocalRecords.check(journal.state());
    return new LocalLook(LocalRecords.of(opened(directory, journal.state(), sealer)));
  }

  private static LoadedState opened(Path directory, LoadedState state, Optional<Sealer> sealer) {
    SortedMap<StateKey, StateValue> values = new TreeMap<>(state.values());
    values.replaceAll(
        (key, value) -> {
          if (!value.isSealed()) {
            return value;
          }
          String failed = "Reading the records in " + directory + " failed: ";
          if (sealer.isEmpty()) {
            throw new RecordStoreException(
                Reason.UNREADABLE, failed + "they are sealed. Configure the key.");
          }
          try {
            return StateValue.ofWrapped(
                sealer.get().open(SealedBytes.unmarked(value.bytes()), key.toString()));
          } catch (SealException e) {
            throw new RecordStoreException(Reason.UNREADABLE, failed + e.getMessage(), e);
          }
        });
    return new LoadedState(values, state.uncertainties(), state.writtenOn());
  }

  @Override
  public Optional<StoredRecord> read(RecordKey key) {
    return Optional.ofNullable(records.get(key));
  }

  @Override
  public WriteResult write(List<RecordWrite> writes) {
    throw new RecordStoreException(
        Reason.UNAVAILABLE,
        "Writing "
            + writes.get(0).key()
            + " failed: the store was opened only for reading. Open it with LocalStore.open.");
  }

  @Override
  public Page scan(RecordKey.Space space, Optional<RecordKey> after, int limit) {
    return MemoryStore.page(records, space, after, limit);
  }

  @Override
  public Watch watch(RecordKey.Space space) {
    throw new UnsupportedOperationException(
        "A read-only view of a local store has no watch. Read it again to see changes.");
  }

  @Override
  public StoreIdentity identity() {
    return stored.identity().orElse(NONE);
  }

  @Override
  public Optional<ReasonText> uncertainty(RecordKey key) {
    return LocalRecords.uncertainty(stored.uncertainties(), key);
  }

  @Override
  public boolean isShared() {
    return false;
  }

  @Override
  public void close() {}
}
