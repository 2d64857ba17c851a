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
import io.csi4j.volume.store.RecordStoreException;
import io.csi4j.volume.store.StoreIdentity;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/** A store behind a bad line: answers get lost, writes come late, and sometimes nobody answers. */
public final class RoughStore implements ClaimStore {

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

  /** A write that is on its way. */
  private record Letter(ClaimVersion expected, Claim next, WriteToken token) {}

  private ClaimStore store = new MemoryClaimStore();
  private final Deque<Fate> fates = new ArrayDeque<>();
  private final Deque<Letter> letters = new ArrayDeque<>();
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

  /** Lets the store be in doubt of every volume. */
  public void doubt(ReasonText value) {
    doubt = Optional.of(value);
  }

  @Override
  public Optional<ReasonText> uncertainty(VolumeKey volume) {
    return doubt;
  }

  /** Lets the store take no writes for this reason, or take them. */
  public void readOnly(Optional<ReasonText> why) {
    readOnly = why;
  }

  @Override
  public Optional<ReasonText> readOnly() {
    return readOnly;
  }

  /** Puts another store in the place of this one. */
  public void replaceBy(ClaimStore other) {
    store = other;
  }

  /** Lets the writes arrive that are on their way. */
  public void deliver() {
    for (Letter letter = letters.poll(); letter != null; letter = letters.poll()) {
      WriteResult result = store.compareAndSet(letter.expected(), letter.next(), letter.token());
      assert result != null;
    }
  }

  @Override
  public Versioned read(VolumeKey volume) {
    if (silent) {
      throw down();
    }
    return store.read(volume);
  }

  @Override
  public WriteResult compareAndSet(ClaimVersion expected, Claim next, WriteToken token) {
    refusal.ifPresent(
        value -> {
          throw value;
        });
    Fate fate = fates.isEmpty() ? Fate.ANSWERED : fates.poll();
    return switch (fate) {
      case ANSWERED -> store.compareAndSet(expected, next, token);
      case LOST -> unknown();
      case UNANSWERED -> {
        WriteResult lost = store.compareAndSet(expected, next, token);
        assert lost != null;
        yield unknown();
      }
      case LATE -> {
        letters.add(new Letter(expected, next, token));
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
  public ClaimPage scan(Optional<VolumeKey> after, int limit) {
    return store.scan(after, limit);
  }

  @Override
  public ClaimWatch watch() {
    return store.watch();
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
