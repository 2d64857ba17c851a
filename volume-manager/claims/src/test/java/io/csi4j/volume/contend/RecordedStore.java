package io.csi4j.volume.contend;

import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.spi.ClaimStore;
import io.csi4j.volume.claim.spi.ClaimVersion;
import io.csi4j.volume.claim.spi.Versioned;
import io.csi4j.volume.claim.spi.WriteResult;
import io.csi4j.volume.claim.spi.WriteToken;
import io.csi4j.volume.claim.store.PassingStore;
import io.csi4j.volume.model.VolumeKey;
import java.util.function.Supplier;

/** A store of which every call is written down, and every answer. */
final class RecordedStore extends PassingStore {

  private final ClaimStore store;
  private final HistoryFile history;

  RecordedStore(ClaimStore store, HistoryFile history) {
    super(store);
    this.store = store;
    this.history = history;
  }

  @Override
  public Versioned read(VolumeKey volume) {
    String call = history.reads(volume);
    try {
      Versioned seen = store.read(volume);
      history.saw(call, seen);
      return seen;
    } catch (RuntimeException e) {
      history.failed(call);
      throw e;
    }
  }

  @Override
  public WriteResult compareAndSet(ClaimVersion expected, Claim next, WriteToken token) {
    return written(expected, next, token, () -> store.compareAndSet(expected, next, token));
  }

  @Override
  public WriteResult replace(Versioned seen, Claim next, WriteToken token) {
    return written(seen.version(), next, token, () -> store.replace(seen, next, token));
  }

  private WriteResult written(
      ClaimVersion expected, Claim next, WriteToken token, Supplier<WriteResult> write) {
    String call = history.writes(expected, next, token);
    try {
      WriteResult result = write.get();
      if (result instanceof WriteResult.Written written) {
        history.written(call, written.now().version());
      } else if (result instanceof WriteResult.Conflict conflict) {
        history.conflict(call, conflict.now());
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
