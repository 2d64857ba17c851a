package io.csi4j.volume.claim.store;

import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.spi.ClaimPage;
import io.csi4j.volume.claim.spi.ClaimStore;
import io.csi4j.volume.claim.spi.ClaimVersion;
import io.csi4j.volume.claim.spi.ClaimWatch;
import io.csi4j.volume.claim.spi.Versioned;
import io.csi4j.volume.claim.spi.WriteResult;
import io.csi4j.volume.claim.spi.WriteToken;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.store.StoreIdentity;
import java.util.Optional;

/**
 * A store that passes all that it is asked on to another one. A test overrides what it wants to see
 * or change; every write comes by {@link #compareAndSet}.
 */
public abstract class PassingStore implements ClaimStore {

  private final ClaimStore to;

  protected PassingStore(ClaimStore to) {
    this.to = to;
  }

  @Override
  public Versioned read(VolumeKey volume) {
    return to.read(volume);
  }

  @Override
  public WriteResult compareAndSet(ClaimVersion expected, Claim next, WriteToken token) {
    return to.compareAndSet(expected, next, token);
  }

  @Override
  public ClaimPage scan(Optional<VolumeKey> after, int limit) {
    return to.scan(after, limit);
  }

  @Override
  public ClaimWatch watch() {
    return to.watch();
  }

  @Override
  public StoreIdentity identity() {
    return to.identity();
  }

  @Override
  public Optional<ReasonText> uncertainty(VolumeKey volume) {
    return to.uncertainty(volume);
  }

  @Override
  public Optional<ReasonText> readOnly() {
    return to.readOnly();
  }

  @Override
  public void close() {
    to.close();
  }
}
