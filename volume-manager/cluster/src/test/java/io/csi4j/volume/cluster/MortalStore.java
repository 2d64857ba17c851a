package io.csi4j.volume.cluster;

import io.csi4j.volume.store.PassingStore;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.RecordStoreException;
import io.csi4j.volume.store.RecordWrite;
import io.csi4j.volume.store.StoredRecord;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The store as one control plane sees it, which dies around a write: from then on nothing that the
 * control plane writes arrives, and it reads nothing.
 */
final class MortalStore extends PassingStore {

  private final int last;
  private final boolean isWritten;
  private final AtomicInteger writes = new AtomicInteger();
  private volatile boolean isCounting;
  private volatile boolean isDead;

  /**
   * The view of a store.
   *
   * @param last the number of the write at which the control plane dies, from 0; none if negative
   * @param isWritten whether that write arrives
   */
  MortalStore(RecordStore store, int last, boolean isWritten) {
    super(store);
    this.last = last;
    this.isWritten = isWritten;
  }

  /** Counts the writes from now on. */
  void count() {
    isCounting = true;
  }

  boolean isDead() {
    return isDead;
  }

  private void check() {
    if (isDead) {
      throw new RecordStoreException(
          RecordStoreException.Reason.UNAVAILABLE, "This control plane has died.");
    }
  }

  @Override
  public Optional<StoredRecord> read(RecordKey key) {
    check();
    return super.read(key);
  }

  @Override
  public Page scan(RecordKey.Space space, Optional<RecordKey> after, int limit) {
    check();
    return super.scan(space, after, limit);
  }

  @Override
  public WriteResult write(List<RecordWrite> changes) {
    check();
    boolean isLast = isCounting && writes.getAndIncrement() == last;
    if (isLast && isWritten) {
      WriteResult lost = super.write(changes);
      isDead = lost instanceof WriteResult.Written;
    } else {
      isDead = isLast;
    }
    check();
    return super.write(changes);
  }

  /** One process at a time has it open, so the next one need not wait for the end of a session. */
  @Override
  public boolean isShared() {
    return false;
  }

  @Override
  public void close() {}
}
