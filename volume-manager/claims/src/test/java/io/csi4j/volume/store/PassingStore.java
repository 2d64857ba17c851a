package io.csi4j.volume.store;

import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.state.seal.Sealer;
import java.util.List;
import java.util.Optional;

/**
 * A store that passes everything on to another one. A test overrides what it wants to see or
 * change.
 */
public abstract class PassingStore implements RecordStore {

  private final RecordStore to;

  protected PassingStore(RecordStore to) {
    this.to = to;
  }

  @Override
  public Optional<StoredRecord> read(RecordKey key) {
    return to.read(key);
  }

  @Override
  public WriteResult write(List<RecordWrite> writes) {
    return to.write(writes);
  }

  @Override
  public int together() {
    return to.together();
  }

  @Override
  public Page scan(RecordKey.Space space, Optional<RecordKey> after, int limit) {
    return to.scan(space, after, limit);
  }

  @Override
  public Watch watch(RecordKey.Space space) {
    return to.watch(space);
  }

  @Override
  public StoreIdentity identity() {
    return to.identity();
  }

  @Override
  public Optional<ReasonText> uncertainty(RecordKey key) {
    return to.uncertainty(key);
  }

  @Override
  public Optional<ReasonText> readOnly() {
    return to.readOnly();
  }

  @Override
  public Optional<Sealer> sealer() {
    return to.sealer();
  }

  @Override
  public void close() {
    to.close();
  }
}
