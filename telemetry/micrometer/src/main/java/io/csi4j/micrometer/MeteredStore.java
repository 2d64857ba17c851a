package io.csi4j.micrometer;

import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.state.seal.Sealer;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.RecordStoreException;
import io.csi4j.volume.store.RecordWrite;
import io.csi4j.volume.store.StoreIdentity;
import io.csi4j.volume.store.StoredRecord;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Measures the time of calls to a store, by result, and counts watches that have missed changes.
 */
final class MeteredStore implements RecordStore {

  private final Meters meters;
  private final RecordStore store;

  private MeteredStore(Meters meters, RecordStore store) {
    this.meters = meters;
    this.store = store;
  }

  /**
   * Creates the listener. This method is in this class, so that the entry point can be loaded
   * without the claims module.
   */
  static RecordStore of(Meters meters, RecordStore store) {
    return new MeteredStore(meters, store);
  }

  private <T> T timed(String call, Supplier<T> question, Function<T, String> result) {
    long begun = System.nanoTime();
    String ended = "failed";
    try {
      T answer = question.get();
      ended = result.apply(answer);
      return answer;
    } catch (RecordStoreException refused) {
      ended = ControllerMeters.word(refused.reason().name());
      throw refused;
    } finally {
      meters.time(CsiMeter.STORE_CALLS, Duration.ofNanos(System.nanoTime() - begun), call, ended);
    }
  }

  private static <T> String ok(T answer) {
    return "ok";
  }

  @Override
  public Optional<StoredRecord> read(RecordKey key) {
    return timed("read", () -> store.read(key), MeteredStore::ok);
  }

  @Override
  public WriteResult write(List<RecordWrite> writes) {
    return timed("write", () -> store.write(writes), MeteredStore::result);
  }

  private static String result(WriteResult result) {
    if (result instanceof WriteResult.Conflict) {
      return "conflict";
    }
    return result instanceof WriteResult.Unknown ? "unknown" : "ok";
  }

  @Override
  public Page scan(RecordKey.Space space, Optional<RecordKey> after, int limit) {
    return timed("scan", () -> store.scan(space, after, limit), MeteredStore::ok);
  }

  @Override
  public Watch watch(RecordKey.Space space) {
    return new CountedWatch(timed("watch", () -> store.watch(space), MeteredStore::ok));
  }

  /** A watch that counts missed changes. */
  private final class CountedWatch implements Watch {

    private final Watch watch;

    private CountedWatch(Watch watch) {
      this.watch = watch;
    }

    @Override
    public Optional<Change> next(Duration wait) throws InterruptedException {
      Optional<Change> next = watch.next(wait);
      if (next.filter(Change.Missed.class::isInstance).isPresent()) {
        meters.count(CsiMeter.STORE_MISSED);
      }
      return next;
    }

    @Override
    public void close() {
      watch.close();
    }
  }

  @Override
  public int together() {
    return store.together();
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
