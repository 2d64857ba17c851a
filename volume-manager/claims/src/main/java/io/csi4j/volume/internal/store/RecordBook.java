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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Changes the records of one space by rules. A change is tried on the record that was seen last,
 * and counts only if that is still there; everything else, above all a refusal, is decided after a
 * look. A change that another writer has overtaken is decided again. A change whose result is not
 * known is looked for, and made again if it was not made.
 *
 * <p>Nothing is acquired from a store that is another one than before, that has lost something, or
 * that accepts no writes. Nothing is changed in a store with the mark of a move.
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
  private final RecordValues<MoveMark> marks;

  /** Set once a look has shown no mark of a move. */
  private volatile boolean isUnmarked;

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
    this.marks = MoveMark.in(store);
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
    if (certain) {
      checkMove();
    }
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

  /**
   * Returns what a record says that a watch has reported.
   *
   * @throws RecordStoreException if it cannot be read
   */
  public Seen<T> seen(StoredRecord there) {
    return records.seen(there);
  }

  /** A write that the store has, or may still get, before the change is known to be made. */
  private static final class OpenWrite {
    private Map<RecordKey, Optional<StoredRecord>> expected = Map.of();
    private String because = "";

    /** Set once a write without an answer expects that a record is not there. */
    private boolean mayCreate;

    void unanswered(List<Part<?>> parts, WriteResult.Unknown unknown) {
      expect(parts, unknown.because() + ", and the write may still arrive");
      mayCreate |= parts.stream().anyMatch(Part::mayCreate);
    }

    void written(List<Part<?>> parts) {
      expect(parts, "the write was made");
    }

    private void expect(List<Part<?>> parts, String why) {
      expected =
          parts.stream()
              .flatMap(part -> part.write().stream())
              .collect(Collectors.toMap(RecordWrite::key, RecordWrite::seen));
      because = why;
    }

    /**
     * Once another record than the expected one is there, an unanswered write never arrives: no
     * record comes back. Where records are removed, nothing is there again one day, and a write
     * that expects nothing can still arrive.
     */
    void saw(List<Part<?>> parts) {
      if (parts.stream().anyMatch(part -> isOther(part.seen()))) {
        expected = Map.of();
      }
    }

    private boolean isOther(Seen<?> now) {
      Optional<StoredRecord> before = expected.get(now.key());
      return before != null && !now.stored().equals(before);
    }

    boolean mayCount() {
      return !expected.isEmpty() || mayCreate;
    }
  }

  /**
   * The change of one record by a rule, made alone or together with others; for one use. The rule
   * may be asked several times.
   *
   * @param <T> the values
   */
  public static final class Part<T> {
    private final RecordBook<T> book;
    private final RecordKey key;
    private final boolean acquires;
    private final Function<Optional<T>, Decision<T>> rule;

    /** The record on which the rule decides. */
    private Seen<T> seen;

    /** The record as it was found after a write whose result is not known. */
    private Seen<T> found;

    /** The value to write, or nothing to remove the record; nothing at all if it stays. */
    private Optional<Optional<T>> next = Optional.empty();

    private boolean changes;
    private Optional<RecordWrite> write = Optional.empty();
    private long highest;
    private @Nullable Change<T> change;

    private Part(
        RecordBook<T> book,
        RecordKey key,
        boolean acquires,
        Function<Optional<T>, Decision<T>> rule) {
      this.book = book;
      this.key = key;
      this.acquires = acquires;
      this.rule = rule;
      this.seen = new Seen<>(key, Optional.empty(), Optional.empty(), UnknownFields.NONE);
      this.found = seen;
    }

    /**
     * Returns the change.
     *
     * @throws IllegalStateException if it was not made
     */
    public Change<T> change() {
      if (change == null) {
        throw new IllegalStateException("The change of " + key + " was not made.");
      }
      return change;
    }

    private Seen<T> seen() {
      return seen;
    }

    private Optional<RecordWrite> write() {
      return write;
    }

    private boolean mayCreate() {
      return book.codec.removes() && write.filter(it -> it.seen().isEmpty()).isPresent();
    }

    /** Begins with the record that was seen last; returns whether it is kept. */
    private boolean recall() {
      Seen<T> last = book.known.get(key);
      if (last != null) {
        seen = last;
      }
      return last != null;
    }

    private void forget() {
      book.known.remove(key, seen);
    }

    private void look() {
      try {
        seen = book.look(key, acquires);
      } catch (RecordFailure failed) {
        throw failed.of(key);
      }
    }

    private void checkIfAcquired() {
      if (acquires) {
        book.checkStore(key);
      }
    }

    /** Asks the rule; returns its refusal. */
    private Optional<Decision.Refuse<T>> decide() {
      Decision<T> decision = rule.apply(seen.value());
      if (decision instanceof Decision.Write<T> wanted) {
        next = Optional.of(Optional.of(wanted.next()));
      } else {
        boolean isRemoved = decision instanceof Decision.Remove<T> && seen.stored().isPresent();
        next = isRemoved ? Optional.of(Optional.empty()) : Optional.empty();
      }
      changes = next.isPresent();
      return decision instanceof Decision.Refuse<T> refused
          ? Optional.of(refused)
          : Optional.empty();
    }

    /** A record that stays, while another one is changed, is written again: it is a condition. */
    private void draft() {
      if (next.isEmpty() && seen.value().isPresent()) {
        next = Optional.of(seen.value());
      }
      highest = book.highest(key);
      write = next.map(value -> book.records.draft(seen, value));
    }

    private void stays() {
      change = new Change<>(seen, seen, false);
    }

    /** Takes in that the write was made. What the store says counts, if it says something else. */
    private void written(List<StoredRecord> records) {
      if (write.isEmpty()) {
        stays();
        return;
      }
      Optional<T> value = next.orElseThrow();
      Optional<StoredRecord> now = RecordValues.find(records, key);
      UnknownFields newer = value.isPresent() ? seen.newer() : UnknownFields.NONE;
      Seen<T> after =
          write.get().isMade(now)
              ? new Seen<>(key, now, value, newer)
              : asked(() -> book.records.among(records, key));
      change = new Change<>(seen, book.saw(highest, after, acquires), changes);
    }

    /**
     * Takes in what is there in the place of what was expected.
     *
     * @param records the records that the store has shown
     * @param isSame whether all records are as they were expected: no write has overtaken this one.
     *     A store that is another one, or that has lost something, refuses like that, and would
     *     refuse each further try
     */
    private void overtaken(List<StoredRecord> records, boolean isSame) {
      if (write.isEmpty()) {
        look();
        return;
      }
      Seen<T> now = asked(() -> book.records.among(records, key));
      if (isSame) {
        book.checkStore(key);
      }
      seen = book.saw(highest, now, acquires);
    }

    private boolean isSame(List<StoredRecord> records) {
      return write.isEmpty() || RecordValues.find(records, key).equals(write.get().seen());
    }

    /** Reads the record after a write whose result is not known. */
    private Optional<StoredRecord> lookAfter() {
      long known = book.highest(key);
      found = book.saw(known, book.records.read(key), acquires);
      return found.stored();
    }

    /** Takes in that the write was not made: the record that was found is decided on. */
    private void notMade() {
      seen = found;
    }
  }

  /**
   * Returns the change of a record.
   *
   * @param acquires whether someone gets something by it
   */
  public Part<T> part(RecordKey key, boolean acquires, Function<Optional<T>, Decision<T>> rule) {
    return new Part<>(this, key, acquires, rule);
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
    Part<T> only = part(key, acquires, rule);
    apply(List.of(only));
    return only.change();
  }

  /**
   * Changes records of one store in one write. Nothing is changed if one of the rules refuses. A
   * record that stays as it is while another one is changed is a condition of the write, if it is
   * there. Failures are those of the change of one record.
   *
   * @param parts at most as many as the store writes together, each of another record
   * @throws RecordFailure if a rule refuses, or the store does
   */
  public static void apply(List<Part<?>> parts) {
    RecordStore store = parts.get(0).book.store;
    if (parts.stream().anyMatch(part -> part.book.store != store)) {
      throw new IllegalArgumentException("One write changes records of one store.");
    }
    parts.get(0).book.checkMove();
    OpenWrite open = new OpenWrite();
    try {
      if (!fromMemory(store, parts, open)) {
        afterALook(store, parts, open);
      }
    } catch (RecordFailure failed) {
      if (!open.mayCount() || failed.outcome() == ChangeOutcome.UNCERTAIN) {
        throw failed;
      }
      throw unconfirmed(open.because + "; since then: " + failed.seen(), failed);
    }
  }

  private static void afterALook(RecordStore store, List<Part<?>> parts, OpenWrite open) {
    parts.forEach(Part::look);
    open.saw(parts);
    Execution<WriteResult> writes = Execution.of(OVERTAKEN, UNKNOWN);
    while (true) {
      for (Part<?> part : parts) {
        part.decide()
            .ifPresent(
                refused -> {
                  throw new RecordFailure(
                      ChangeOutcome.REFUSED, refused.code(), refused.because(), null);
                });
      }
      if (parts.stream().noneMatch(part -> part.changes)) {
        parts.forEach(Part::stays);
        return;
      }
      for (Part<?> part : parts) {
        try {
          part.draft();
        } catch (RecordStoreException refused) {
          throw failure(refused).of(part.key);
        }
      }
      WriteResult result = write(store, parts);
      writes.recordResult(result);
      if (result instanceof WriteResult.Written written) {
        written(parts, written, open);
        return;
      }
      if (result instanceof WriteResult.Conflict conflict) {
        boolean isSame = parts.stream().allMatch(part -> part.isSame(conflict.now()));
        parts.forEach(part -> part.overtaken(conflict.now(), isSame));
        open.saw(parts);
        if (writes.isComplete()) {
          throw new RecordFailure(
              ChangeOutcome.UNAVAILABLE,
              OperatorCode.CLAIM_STORE_DOWN,
              "others have changed it " + TURNS + " times meanwhile",
              null);
        }
      } else if (result instanceof WriteResult.Unknown unknown) {
        if (isMadeAfterAll(parts, unknown, open)) {
          return;
        }
        if (writes.isComplete()) {
          throw unconfirmed(unknown.because().text(), null);
        }
      }
    }
  }

  private static WriteResult write(RecordStore store, List<Part<?>> parts) {
    return asked(() -> RecordValues.write(store, writes(parts)));
  }

  private static List<RecordWrite> writes(List<Part<?>> parts) {
    return parts.stream().flatMap(part -> part.write().stream()).toList();
  }

  private static void written(List<Part<?>> parts, WriteResult.Written written, OpenWrite open) {
    open.written(parts);
    parts.forEach(part -> part.written(written.now()));
  }

  /**
   * The same without a look, if the records are still those that were seen last. Only what is
   * written is decided by them; everything else is decided after a look, and so is what comes to
   * any other end. Returns whether the change was made.
   */
  private static boolean fromMemory(RecordStore store, List<Part<?>> parts, OpenWrite open) {
    if (!parts.stream().allMatch(Part::recall) || store.readOnly().isPresent()) {
      // Where a store is read-only, a look shows whether a person has settled it.
      return false;
    }
    if (parts.stream().anyMatch(part -> part.decide().isPresent())
        || parts.stream().noneMatch(part -> part.changes)) {
      return false;
    }
    parts.forEach(Part::checkIfAcquired);
    try {
      parts.forEach(Part::draft);
    } catch (RecordStoreException refused) {
      // Others may have made the record smaller since.
      return false;
    }
    if (writes(parts).size() < parts.size()) {
      // A record that is not there is no condition of the write: it may be there by now.
      return false;
    }
    WriteResult result = write(store, parts);
    if (result instanceof WriteResult.Written written) {
      written(parts, written, open);
      return true;
    }
    parts.forEach(Part::forget);
    return result instanceof WriteResult.Unknown unknown && isMadeAfterAll(parts, unknown, open);
  }

  /**
   * Looks whether a write without an answer was made. A store that cannot be read leaves that open.
   */
  private static boolean isMadeAfterAll(
      List<Part<?>> parts, WriteResult.Unknown unknown, OpenWrite open) {
    open.unanswered(parts, unknown);
    List<StoredRecord> there = new ArrayList<>();
    try {
      for (Part<?> part : parts) {
        part.lookAfter().ifPresent(there::add);
      }
    } catch (RecordStoreException down) {
      throw unconfirmed(
          unknown.because() + ", and the store cannot be read: " + down.getMessage(), down);
    }
    Optional<List<StoredRecord>> made = RecordValues.made(writes(parts), there);
    if (made.isPresent()) {
      parts.forEach(part -> part.written(made.get()));
    } else {
      parts.forEach(Part::notMade);
      open.saw(parts);
    }
    return made.isPresent();
  }

  /** Taken before a question: others of this process may see newer versions while it is open. */
  private long highest(RecordKey key) {
    return versions.getOrDefault(key, 0L);
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

  /**
   * Refuses a store whose records were moved, or that is the target of a move that is not complete.
   * A store of this process alone may be marked at any time, and is asked each time; all processes
   * that share another store are ended before a move.
   *
   * @throws RecordFailure if nothing may be changed in the store
   */
  public void checkMove() {
    if (isUnmarked && store.isShared()) {
      return;
    }
    asked(() -> marks.read(MoveMark.KEY))
        .value()
        .ifPresent(
            mark -> {
              throw new RecordFailure(
                  ChangeOutcome.HELD,
                  OperatorCode.STORE_MOVED,
                  mark.reason(store.identity()).text(),
                  null);
            });
    isUnmarked = true;
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
          case UNREADABLE, IN_DOUBT, MOVED -> ChangeOutcome.HELD;
        };
    // Whoever reports the failure adds the next step of its code.
    return new RecordFailure(
        outcome, refused.code(), refused.operatorMessage().seen().text(), refused);
  }

  private static RecordFailure wentBack(String seen) {
    return new RecordFailure(ChangeOutcome.HELD, OperatorCode.CLAIM_STORE_WENT_BACK, seen, null);
  }

  private static RecordFailure unconfirmed(String seen, @Nullable Throwable cause) {
    return new RecordFailure(ChangeOutcome.UNCERTAIN, OperatorCode.CLAIM_UNCONFIRMED, seen, cause);
  }
}
