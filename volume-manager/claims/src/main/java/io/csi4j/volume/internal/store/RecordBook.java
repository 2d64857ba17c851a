package io.csi4j.volume.internal.store;

import dev.failsafe.Execution;
import dev.failsafe.RetryPolicy;
import io.csi4j.volume.internal.fields.UnknownFields;
import io.csi4j.volume.internal.store.RecordValues.Seen;
import io.csi4j.volume.model.ChangeOutcome;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.RecordStore.WriteResult;
import io.csi4j.volume.store.RecordStoreException;
import io.csi4j.volume.store.RecordWrite;
import io.csi4j.volume.store.StoreIdentity;
import io.csi4j.volume.store.StoredRecord;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Changes the records of one space by rules. A change is tried on the record that was seen last,
 * and counts only if that is still there; everything else, above all a refusal, is decided after a
 * look. A change that another writer has overtaken is decided again. A change whose result is not
 * known is looked for, and made again if it was not made.
 *
 * <p>Nothing is acquired from a store that is another one than before, that has lost something, or
 * that accepts no writes.
 *
 * @param <T> the values
 */
public final class RecordBook<T> {

  /** More than any real contention needs: each lost turn means that another writer has won. */
  private static final int TURNS = 1_000;

  private static final int DOUBTS = 8;

  private static final RetryPolicy<WriteResult> OVERTAKEN =
      RetryPolicy.<WriteResult>builder()
          .handleResultIf(WriteResult.Conflict.class::isInstance)
          .withMaxAttempts(TURNS)
          .build();

  private static final RetryPolicy<WriteResult> UNKNOWN =
      RetryPolicy.<WriteResult>builder()
          .handleResultIf(WriteResult.Unknown.class::isInstance)
          .withMaxAttempts(DOUBTS)
          .build();

  /** The number of records that are kept; beyond that the memory begins again. */
  private static final int MOST = 4096;

  /** The number of versions that are kept where records are removed; the older ones are dropped. */
  private static final int MOST_VERSIONS = 4 * MOST;

  private final RecordStore store;
  private final ValueCodec<T> codec;
  private final RecordValues<T> records;

  /** The store that was seen first; nothing while that one accepts no writes. */
  private final AtomicReference<Optional<StoreIdentity>> identity;

  /** The highest version of each record that was seen, as far as it may still be there. */
  private final ConcurrentMap<RecordKey, Long> versions = new ConcurrentHashMap<>();

  /** The newest records that were seen, as far as they are kept. */
  private final ConcurrentMap<RecordKey, Seen<T>> known = new ConcurrentHashMap<>();

  /**
   * A book on a store.
   *
   * @param identity the store that was seen before, maybe by another process; nothing is acquired
   *     if it is another one now
   */
  public RecordBook(RecordStore store, ValueCodec<T> codec, Optional<StoreIdentity> identity) {
    this.store = Objects.requireNonNull(store, "store");
    this.codec = Objects.requireNonNull(codec, "codec");
    this.records = new RecordValues<>(store, codec);
    this.identity =
        new AtomicReference<>(
            identity.isPresent() || store.readOnly().isPresent()
                ? identity
                : Optional.of(store.identity()));
  }

  /** The decision of a rule about a record. */
  public sealed interface Decision<T> {

    /** The record gets this value. */
    record Write<T>(T next) implements Decision<T> {}

    /** The record is removed. */
    record Remove<T>() implements Decision<T> {}

    /** The record stays as it is. */
    record Keep<T>() implements Decision<T> {}

    /** The change is refused. */
    record Refuse<T>(OperatorCode code, String because) implements Decision<T> {}
  }

  /**
   * A change of a record.
   *
   * @param before the record that was decided on
   * @param after the record as it is then
   * @param changes whether that is another one
   */
  public record Change<T>(Seen<T> before, Seen<T> after, boolean changes) {}

  /**
   * Returns a record as it is now.
   *
   * @param certain refuses if the store may have lost something
   * @throws RecordFailure if it cannot be known
   */
  public Seen<T> look(RecordKey key, boolean certain) {
    long before = highest(key);
    return asked(() -> saw(before, records.read(key), certain));
  }

  /**
   * Returns some records of the space.
   *
   * @throws RecordFailure if the store cannot answer
   */
  public RecordValues.Page<T> page(Optional<RecordKey> after, int limit) {
    return asked(() -> records.page(after, limit));
  }

  /**
   * Follows the writes of the space.
   *
   * @throws RecordFailure if the store cannot answer
   */
  public RecordStore.Watch watch() {
    return asked(records::watch);
  }

  /** A write that the store has, or may still get, before the change is known to be made. */
  private static final class OpenWrite {
    private final boolean removes;
    private @Nullable Seen<?> expected;
    private String because = "";

    /** Set once a write without an answer expects that nothing is there. */
    private boolean mayCreate;

    /**
     * No write yet.
     *
     * @param removes whether records of the space are removed
     */
    OpenWrite(boolean removes) {
      this.removes = removes;
    }

    void unanswered(Seen<?> before, WriteResult.Unknown unknown) {
      expected = before;
      mayCreate |= removes && before.stored().isEmpty();
      because = unknown.because() + ", and the write may still arrive";
    }

    void written(Seen<?> before) {
      expected = before;
      because = "the write was made";
    }

    /**
     * Once another record than the expected one is there, an unanswered write never arrives: no
     * record comes back. Where records are removed, nothing is there again one day, and a write
     * that expects nothing can still arrive.
     */
    void saw(Seen<?> now) {
      if (expected != null && !now.stored().equals(expected.stored())) {
        expected = null;
      }
    }

    boolean mayCount() {
      return expected != null || mayCreate;
    }
  }

  /**
   * Applies a rule to a record. A failure is uncertain, whatever its reason, if the store has a
   * write of the change or may still get one: a store can turn out to be another one after it has
   * written.
   *
   * @param acquires whether someone gets something by it
   * @param rule may be asked several times
   * @throws RecordFailure if the rule refuses, or the store does
   */
  public Change<T> apply(RecordKey key, boolean acquires, Function<Optional<T>, Decision<T>> rule) {
    OpenWrite open = new OpenWrite(codec.removes());
    try {
      return apply(key, acquires, rule, open);
    } catch (RecordFailure failed) {
      if (!open.mayCount() || failed.outcome() == ChangeOutcome.UNCERTAIN) {
        throw failed;
      }
      throw unconfirmed(open.because + "; since then: " + failed.seen(), failed);
    }
  }

  private Change<T> apply(
      RecordKey key, boolean acquires, Function<Optional<T>, Decision<T>> rule, OpenWrite open) {
    Seen<T> last = known.get(key);
    if (last != null) {
      Optional<Change<T>> change = fromMemory(last, acquires, rule, open);
      if (change.isPresent()) {
        return change.get();
      }
    }
    Seen<T> there = look(key, acquires);
    open.saw(there);
    Execution<WriteResult> writes = Execution.of(OVERTAKEN, UNKNOWN);
    while (true) {
      Seen<T> before = there;
      Decision<T> decision = rule.apply(before.value());
      if (decision instanceof Decision.Refuse<T> refused) {
        throw new RecordFailure(ChangeOutcome.REFUSED, refused.code(), refused.because(), null);
      }
      Optional<Optional<T>> next = next(before, decision);
      if (next.isEmpty()) {
        return new Change<>(before, before, false);
      }
      long highest = highest(key);
      RecordWrite write = asked(() -> records.draft(before, next.get()));
      WriteResult result = asked(() -> RecordValues.write(store, List.of(write)));
      writes.recordResult(result);
      if (result instanceof WriteResult.Written written) {
        open.written(before);
        Seen<T> now = written(write, before, next.get(), written);
        return new Change<>(before, saw(highest, now, acquires), true);
      }
      if (result instanceof WriteResult.Conflict conflict) {
        Seen<T> now = asked(() -> records.among(conflict.now(), key));
        if (now.stored().equals(before.stored())) {
          // No write has overtaken this one. A store that is another one, or that has lost
          // something, refuses like that, and would refuse each further try.
          checkStore(key);
        }
        there = saw(highest, now, acquires);
        open.saw(there);
        if (writes.isComplete()) {
          throw new RecordFailure(
              ChangeOutcome.UNAVAILABLE,
              OperatorCode.CLAIM_STORE_DOWN,
              "others have changed it " + TURNS + " times meanwhile",
              null);
        }
      } else if (result instanceof WriteResult.Unknown unknown) {
        there = lookAfter(before, unknown, acquires, open);
        if (write.isMade(there.stored())) {
          return new Change<>(before, there, true);
        }
        if (writes.isComplete()) {
          throw unconfirmed(unknown.because().text(), null);
        }
      }
    }
  }

  /** Returns the value to write, or nothing to remove the record; nothing at all if it stays. */
  private static <T> Optional<Optional<T>> next(Seen<T> before, Decision<T> decision) {
    if (decision instanceof Decision.Write<T> write) {
      return Optional.of(Optional.of(write.next()));
    }
    return decision instanceof Decision.Remove<T> && before.stored().isPresent()
        ? Optional.of(Optional.empty())
        : Optional.empty();
  }

  /** What is there after a write; what the store says counts, if it says something else. */
  private Seen<T> written(
      RecordWrite write, Seen<T> before, Optional<T> next, WriteResult.Written written) {
    Optional<StoredRecord> now = written.now().stream().findFirst();
    return write.isMade(now)
        ? new Seen<>(
            before.key(), now, next, next.isPresent() ? before.newer() : UnknownFields.NONE)
        : asked(() -> records.among(written.now(), before.key()));
  }

  /**
   * The same without a look, if the record is still the one that was seen last. Only what is
   * written is decided by it; everything else is decided after a look, and so is what comes to any
   * other end.
   */
  private Optional<Change<T>> fromMemory(
      Seen<T> last, boolean acquires, Function<Optional<T>, Decision<T>> rule, OpenWrite open) {
    if (store.readOnly().isPresent()) {
      // A look shows whether a person has settled it.
      return Optional.empty();
    }
    Optional<Optional<T>> next = next(last, rule.apply(last.value()));
    if (next.isEmpty()) {
      return Optional.empty();
    }
    RecordKey key = last.key();
    if (acquires) {
      checkStore(key);
    }
    long highest = highest(key);
    RecordWrite write;
    try {
      write = records.draft(last, next.get());
    } catch (RecordStoreException refused) {
      // Others may have made the record smaller since.
      return Optional.empty();
    }
    WriteResult result = asked(() -> RecordValues.write(store, List.of(write)));
    if (result instanceof WriteResult.Written written) {
      open.written(last);
      return Optional.of(
          new Change<>(
              last, saw(highest, written(write, last, next.get(), written), acquires), true));
    }
    known.remove(key, last);
    if (result instanceof WriteResult.Unknown unknown) {
      Seen<T> there = lookAfter(last, unknown, acquires, open);
      return write.isMade(there.stored())
          ? Optional.of(new Change<>(last, there, true))
          : Optional.empty();
    }
    return Optional.empty();
  }

  /** Taken before a question: others of this process may see newer versions while it is open. */
  private long highest(RecordKey key) {
    return versions.getOrDefault(key, 0L);
  }

  /** After a write whose result is not known, a store that cannot be read leaves it so. */
  private Seen<T> lookAfter(
      Seen<T> expected, WriteResult.Unknown unknown, boolean acquires, OpenWrite open) {
    open.unanswered(expected, unknown);
    long before = highest(expected.key());
    try {
      Seen<T> now = saw(before, records.read(expected.key()), acquires);
      open.saw(now);
      return now;
    } catch (RecordStoreException down) {
      throw unconfirmed(
          unknown.because() + ", and the store cannot be read: " + down.getMessage(), down);
    }
  }

  /** Refuses to acquire something from a store that has gone back, or is another one. */
  private Seen<T> saw(long before, Seen<T> now, boolean acquires) {
    remember(before, now);
    if (acquires) {
      checkStore(now.key());
      boolean isRemoved = now.stored().isEmpty() && codec.removes();
      if (now.version() < before && !isRemoved) {
        throw wentBack("it has version " + now.version() + ", and had " + before + " before");
      }
    }
    return now;
  }

  private void remember(long before, Seen<T> now) {
    RecordKey key = now.key();
    if (now.stored().isEmpty() && codec.removes()) {
      known.remove(key);
      versions.remove(key, before);
      return;
    }
    if (known.size() >= MOST && !known.containsKey(key)) {
      known.clear();
    }
    known.merge(key, now, (a, b) -> a.version() >= b.version() ? a : b);
    versions.merge(key, now.version(), Math::max);
    if (codec.removes() && versions.size() > MOST_VERSIONS) {
      // Some of them are those of records that others have removed.
      versions.keySet().retainAll(known.keySet());
    }
  }

  /** Returns the number of records whose version is kept. */
  int keptVersions() {
    return versions.size();
  }

  /**
   * Checks the state of the store, as far as it is known without a question.
   *
   * @throws RecordFailure if nothing may be acquired by this record
   */
  public void checkStore(RecordKey key) {
    store
        .readOnly()
        .ifPresent(
            why -> {
              throw wentBack(why.text());
            });
    StoreIdentity now = store.identity();
    StoreIdentity before =
        identity.updateAndGet(seen -> seen.isPresent() ? seen : Optional.of(now)).orElse(now);
    if (!now.equals(before)) {
      throw wentBack("it is store '" + now + "' now, and was '" + before + "'");
    }
    store
        .uncertainty(key)
        .ifPresent(
            doubt -> {
              throw wentBack(doubt.text());
            });
  }

  private static <T> T asked(Supplier<T> question) {
    try {
      return question.get();
    } catch (RecordStoreException refused) {
      throw failure(refused);
    }
  }

  /** Returns the failure of someone who asked a store that has refused. */
  public static RecordFailure failure(RecordStoreException refused) {
    ChangeOutcome outcome =
        switch (refused.reason()) {
          case UNAVAILABLE, CLOSED -> ChangeOutcome.UNAVAILABLE;
          case TOO_LARGE -> ChangeOutcome.REFUSED;
          case UNREADABLE, IN_DOUBT -> ChangeOutcome.HELD;
        };
    return new RecordFailure(
        outcome, refused.code(), String.valueOf(refused.getMessage()), refused);
  }

  private static RecordFailure wentBack(String seen) {
    return new RecordFailure(ChangeOutcome.HELD, OperatorCode.CLAIM_STORE_WENT_BACK, seen, null);
  }

  private static RecordFailure unconfirmed(String seen, @Nullable Throwable cause) {
    return new RecordFailure(ChangeOutcome.UNCERTAIN, OperatorCode.CLAIM_UNCONFIRMED, seen, cause);
  }
}
