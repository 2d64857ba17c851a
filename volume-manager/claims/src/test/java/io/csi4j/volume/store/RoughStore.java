package io.csi4j.volume.store;

import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.store.local.MemoryStore;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/** A store behind a bad line: answers get lost, writes come late, and sometimes none is given. */
public final class RoughStore implements RecordStore {

  /** What becomes of a write. */
  public enum Fate {
    /** It gets through and is answered. */
    ANSWERED,
    /** It gets lost on the way there. */
    LOST,
    /** It gets through, and the answer is lost. */
    UNANSWERED,
    /** It is on the way until {@link #deliver}. */
    LATE,
    /** The store refuses to be asked. */
    DOWN
  }

  private RecordStore store = new MemoryStore();
  private final Deque<Fate> fates = new ArrayDeque<>();
  private final Deque<List<RecordWrite>> letters = new ArrayDeque<>();
  private Optional<RecordStoreException> refusal = Optional.empty();
  private Optional<ReasonText> doubt = Optional.empty();
  private Optional<ReasonText> readOnly = Optional.empty();
  private boolean silent;

  public RoughStore next(Fate... coming) {
    fates.addAll(List.of(coming));
    return this;
  }

  /** Lets reads fail, or not. */
  public void silent(boolean value) {
    silent = value;
  }

  /** Lets every write be refused with this. */
  public void refuse(RecordStoreException value) {
    refusal = Optional.of(value);
  }

  /** Lets the store be in doubt of every record. */
  public void doubt(ReasonText value) {
    doubt = Optional.of(value);
  }

  @Override
  public Optional<ReasonText> uncertainty(RecordKey key) {
    return doubt;
  }

  /** Lets the store accept no writes for this reason, or accept them. */
  public void readOnly(Optional<ReasonText> why) {
    readOnly = why;
  }

  @Override
  public Optional<ReasonText> readOnly() {
    return readOnly;
  }

  /** Puts another store in the place of this one. */
  public void replaceBy(RecordStore other) {
    store = other;
  }

  /** Lets the writes arrive that are on their way. */
  public void deliver() {
    for (List<RecordWrite> letter = letters.poll(); letter != null; letter = letters.poll()) {
      WriteResult result = store.write(letter);
      assert result != null;
    }
  }

  @Override
  public Optional<StoredRecord> read(RecordKey key) {
    if (silent) {
      throw down();
    }
    return store.read(key);
  }

  @Override
  public WriteResult write(List<RecordWrite> writes) {
    refusal.ifPresent(
        value -> {
          throw value;
        });
    Fate fate = fates.isEmpty() ? Fate.ANSWERED : fates.poll();
    return switch (fate) {
      case ANSWERED -> store.write(writes);
      case LOST -> unknown();
      case UNANSWERED -> {
        WriteResult lost = store.write(writes);
        assert lost != null;
        yield unknown();
      }
      case LATE -> {
        letters.add(writes);
        yield unknown();
      }
      case DOWN -> throw down();
    };
  }

  private static WriteResult unknown() {
    return new WriteResult.Unknown(new ReasonText("the answer was lost"));
  }

  private static RecordStoreException down() {
    return new RecordStoreException("nobody answers", new IllegalStateException("line cut"));
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
  public void close() {
    store.close();
  }
}
