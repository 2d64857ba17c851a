package io.csi4j.volume.catalog;

import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.store.PassingStore;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.RecordWrite;
import io.csi4j.volume.store.StoredRecord;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** A store that several control planes share, and that fails while a test wants it to. */
public final class BrokenStore extends PassingStore {

  private volatile Optional<Supplier<RuntimeException>> failure = Optional.empty();

  public BrokenStore(RecordStore to) {
    super(to);
  }

  /** Has each question fail like this. Watches have missed something meanwhile. */
  public void fail(Supplier<RuntimeException> value) {
    failure = Optional.of(value);
  }

  /** Has the store answer again. */
  public void answer() {
    failure = Optional.empty();
  }

  private void check() {
    failure.ifPresent(
        value -> {
          throw value.get();
        });
  }

  @Override
  public Optional<StoredRecord> read(RecordKey key) {
    check();
    return super.read(key);
  }

  @Override
  public WriteResult write(List<RecordWrite> writes) {
    check();
    return super.write(writes);
  }

  @Override
  public Page scan(RecordKey.Space space, Optional<RecordKey> after, int limit) {
    check();
    return super.scan(space, after, limit);
  }

  @Override
  public Watch watch(RecordKey.Space space) {
    Watch watch = super.watch(space);
    return new Watch() {
      @Override
      public Optional<Change> next(Duration wait) throws InterruptedException {
        return failure.isPresent()
            ? Optional.of(new Change.Missed(new ReasonText("the store is broken")))
            : watch.next(wait);
      }

      @Override
      public void close() {
        watch.close();
      }
    };
  }
}
