package io.csi4j.volume.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.state.StateValue;
import io.csi4j.volume.store.PassingStore;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordStoreException;
import io.csi4j.volume.store.RecordWrite;
import io.csi4j.volume.store.StoredRecord;
import io.csi4j.volume.store.local.MemoryStore;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A store in memory that has the trouble that a test makes. */
final class TroubledStore extends PassingStore {

  private final Set<RecordKey> failing = ConcurrentHashMap.newKeySet();

  private volatile boolean isSilent;

  TroubledStore() {
    super(new MemoryStore());
  }

  /** Lets the next read of the record of a volume in the catalog fail. */
  void failNextRead(VolumeKey volume) {
    failing.add(RecordKey.of(RecordKey.Space.VOLUMES, volume));
  }

  /** Lets watches report nothing, or everything again. */
  void silence(boolean value) {
    isSilent = value;
  }

  @Override
  public Watch watch(RecordKey.Space space) {
    Watch watch = super.watch(space);
    return new Watch() {
      @Override
      public Optional<Change> next(Duration wait) throws InterruptedException {
        return isSilent ? Optional.empty() : watch.next(wait);
      }

      @Override
      public void close() {
        watch.close();
      }
    };
  }

  /** Puts bytes of a newer format into the record of a volume in the catalog. */
  void damage(VolumeKey volume) {
    damage(RecordKey.of(RecordKey.Space.VOLUMES, volume));
  }

  /** Puts such bytes into the record of the claims of a volume. */
  void damageClaim(VolumeKey volume) {
    damage(RecordKey.of(RecordKey.Space.CLAIMS, volume));
  }

  /** Puts such bytes into the record of a node. */
  void damage(NodeName node) {
    damage(new RecordKey(RecordKey.Space.CLUSTER, "node/" + node.value()));
  }

  private void damage(RecordKey key) {
    StateValue newer = StateValue.of(new byte[] {8, 9});
    assertThat(write(List.of(new RecordWrite(key, read(key), Optional.of(newer)))))
        .isInstanceOf(WriteResult.Written.class);
  }

  @Override
  public Optional<StoredRecord> read(RecordKey key) {
    if (failing.remove(key)) {
      throw new RecordStoreException(
          RecordStoreException.Reason.UNAVAILABLE, "The store does not answer now.");
    }
    return super.read(key);
  }
}
