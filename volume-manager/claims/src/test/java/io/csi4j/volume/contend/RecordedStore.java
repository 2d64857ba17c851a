package io.csi4j.volume.contend;

import io.csi4j.volume.internal.store.MoveMark;
import io.csi4j.volume.store.PassingStore;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.RecordWrite;
import io.csi4j.volume.store.StoredRecord;
import java.util.List;
import java.util.Optional;

/** A store of which every call for a claim is written down, and every answer. */
final class RecordedStore extends PassingStore {

  private final RecordStore store;
  private final HistoryFile history;

  RecordedStore(RecordStore store, HistoryFile history) {
    super(store);
    this.store = store;
    this.history = history;
  }

  @Override
  public Optional<StoredRecord> read(RecordKey key) {
    if (key.equals(MoveMark.KEY)) {
      // No claim: a history has claims alone.
      return store.read(key);
    }
    String call = history.reads(key);
    try {
      Optional<StoredRecord> seen = store.read(key);
      history.saw(call, seen);
      return seen;
    } catch (RuntimeException e) {
      history.failed(call);
      throw e;
    }
  }

  /** A claim is written alone, and never removed. */
  @Override
  public WriteResult write(List<RecordWrite> writes) {
    String call = history.writes(writes.get(0));
    try {
      WriteResult result = store.write(writes);
      if (result instanceof WriteResult.Written written) {
        history.written(call, written.now().get(0).version());
      } else if (result instanceof WriteResult.Conflict conflict) {
        history.conflict(call, conflict.now().stream().findFirst());
      } else {
        history.unknown(call);
      }
      return result;
    } catch (RuntimeException e) {
      history.failed(call);
      throw e;
    }
  }
}
