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
 * Changes the records of one space according to rules. A change is first tried with the last known
 * version of the record. The store accepts it only if the record has not changed since. All other
 * decisions, in particular refusals, are made after reading the store. If another writer changed
 * the record first, the rule decides again. If the result of a write is unknown, the book reads the
 * record, and repeats the write if the store does not contain it.
 *
 * <p>A change that acquires access is refused if the store has another identity than before, may
 * have lost records, or accepts no writes. Every change is refused if the store has the mark of a
 * move.
 *
 * @param <T> the type of the values
 */
public final class RecordBook<T> {

  /**
   * Maximum number of conflicts with other writers. Real contention needs far fewer attempts,
   * because each conflict means that another writer has succeeded.
   */
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

  /**
   * Maximum number of records that are kept in memory. When it is reached, all of them are dropped.
   */
  private static final int MOST = 4096;

  /**
   * Maximum number of versions that are kept for a space whose records can be removed. If there are
   * more, the versions of records that are not in memory are dropped.
   */
  private static final int MOST_VERSIONS = 4 * MOST;

  private final RecordStore store;
  private final ValueCodec<T> codec;
  private final RecordValues<T> records;
  private final RecordValues<MoveMark> marks;

  /** True after a read has shown that the store has no mark of a move. */
  private volatile boolean isUnmarked;

  /**
   * The identity of the store at its first use; empty if the store has accepted no writes so far.
   */
  private final AtomicReference<Optional<StoreIdentity>> identity;

  /** The highest known version of each record that may still exist. */
  private final ConcurrentMap<RecordKey, Long> versions = new ConcurrentHashMap<>();

  /** The newest known records that are kept in memory. */
  private final ConcurrentMap<RecordKey, Seen<T>> known = new ConcurrentHashMap<>();

  /**
   * Creates a book of the records in a store.
   *
   * @param identity the identity that the store had when it was used before, possibly by another
   *     process. If the store now has another identity, changes that acquire access are refused
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

    /** The value of the record is replaced. */
    record Write<T>(T next) implements Decision<T> {}

    /** The record is removed. */
    record Remove<T>() implements Decision<T> {}

    /** The record is not changed. */
    record Keep<T>() implements Decision<T> {}

    /** The change is refused. */
    record Refuse<T>(OperatorCode code, String because) implements Decision<T> {}
  }

  /**
   * A change of a record.
   *
   * @param before the record before the change, to which the rule was applied
   * @param after the record after the change
   * @param changes whether the record after the change differs from the record before
   */
  public record Change<T>(Seen<T> before, Seen<T> after, boolean changes) {}

  /**
   * Returns the current record.
   *
   * @param certain whether to fail if the store may have lost records
   * @throws RecordFailure if the record cannot be read
   */
  public Seen<T> look(RecordKey key, boolean certain) {
    if (certain) {
      checkMove();
    }
    long before = highest(key);
    return asked(() -> saw(before, records.read(key), certain));
  }

  /**
   * Returns a page of the records of the space.
   *
   * @throws RecordFailure if the store cannot answer
   */
  public RecordValues.Page<T> page(Optional<RecordKey> after, int limit) {
    return asked(() -> records.page(after, limit));
  }

  /**
   * Returns a watch of the changes of the space.
   *
   * @throws RecordFailure if the store cannot answer
   */
  public RecordStore.Watch watch() {
    return asked(records::watch);
  }

  /**
   * Returns the value of a record that a watch has reported.
   *
   * @throws RecordStoreException if the record cannot be read
   */
  public Seen<T> seen(StoredRecord there) {
    return records.seen(there);
  }

  /**
   * A write that was sent to the store before the change is confirmed. The store may have made the
   * write, or may still make it.
   */
  private static final class OpenWrite {
    private Map<RecordKey, Optional<StoredRecord>> expected = Map.of();
    private String because = "";

    /** Whether there was an unanswered write that creates a record. */
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
     * Processes the current records. If a record differs from what an unanswered write expects, the
     * store will never make that write, because a record never returns to a former version. This is
     * not true for a write that creates a record in a space whose records can be removed: the
     * record can be absent again.
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
   * A change of one record by a rule. It can be made alone or together with changes of other
   * records, and only once. The rule may be called several times.
   *
   * @param <T> the type of the values
   */
  public static final class Part<T> {
    private final RecordBook<T> book;
    private final RecordKey key;
    private final boolean acquires;
    private final Function<Optional<T>, Decision<T>> rule;

    /** The record to which the rule is applied. */
    private Seen<T> seen;

    /** The record that was found after a write with an unknown result. */
    private Seen<T> found;

    /**
     * The value to write. If the outer value is empty, the record is kept; if only the inner value
     * is empty, the record is removed.
     */
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
     * @throws IllegalStateException if the change was not made
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

    /** Uses the last known record, if it is in memory. Returns whether it is. */
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

    /** Calls the rule. Returns its refusal, if it refuses the change. */
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

    /**
     * Prepares the write of this record. A record that is not changed itself, while other records
     * are changed, is written again with its current value. This makes it a condition of the write.
     */
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

    /**
     * Processes a write that was made. If the store returns another record than the written record,
     * the returned record is used.
     */
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
     * Processes a write that was refused because a record differs from the expected record.
     *
     * @param records the records that the store returned
     * @param isSame whether all records are as expected, so that no other writer can be the reason.
     *     The store may then have another identity, or may have lost records, and would also refuse
     *     each further attempt
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

    /** Reads the record after a write with an unknown result. */
    private Optional<StoredRecord> lookAfter() {
      long known = book.highest(key);
      found = book.saw(known, book.records.read(key), acquires);
      return found.stored();
    }

    /**
     * Processes a write that was not made. The rule is applied again to the record that was found.
     */
    private void notMade() {
      seen = found;
    }
  }

  /**
   * Returns a change of a record, which is not made yet.
   *
   * @param acquires whether the change acquires access to a volume, rather than releasing it
   */
  public Part<T> part(RecordKey key, boolean acquires, Function<Optional<T>, Decision<T>> rule) {
    return new Part<>(this, key, acquires, rule);
  }

  /**
   * Applies a rule to a record. If the store may have made a write of the change, or may still make
   * it, every failure has an uncertain outcome. For example, the store may show another identity
   * only after it has made the write.
   *
   * @param acquires whether the change acquires access to a volume, rather than releasing it
   * @param rule decides about the change, and may be called several times
   * @throws RecordFailure if the rule or the store refuses the change
   */
  public Change<T> apply(RecordKey key, boolean acquires, Function<Optional<T>, Decision<T>> rule) {
    Part<T> only = part(key, acquires, rule);
    apply(List.of(only));
    return only.change();
  }

  /**
   * Changes several records of one store in one write. If one of the rules refuses, no record is
   * changed. A record that exists and is not changed itself becomes a condition of the write.
   * Failures are the same as for the change of a single record.
   *
   * @param parts the changes of different records, at most as many as the store can write
   *     atomically
   * @throws RecordFailure if a rule or the store refuses the changes
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
              "other writers have changed it " + TURNS + " times meanwhile",
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
   * Tries the change with the last known records, without reading the store. If the result is not a
   * write, the records must be read before the rules decide. Returns whether the change was made.
   */
  private static boolean fromMemory(RecordStore store, List<Part<?>> parts, OpenWrite open) {
    if (!parts.stream().allMatch(Part::recall) || store.readOnly().isPresent()) {
      // If a store accepts no writes, a read shows whether an operator has settled it in the
      // meantime.
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
      // Another writer may have made the record smaller in the meantime.
      return false;
    }
    if (writes(parts).size() < parts.size()) {
      // A record that was missing cannot be a condition of the write, and may exist now.
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
   * Reads the records to find out whether an unanswered write was made. If the store cannot be
   * read, the result stays unknown.
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

  /**
   * Returns the highest known version of a record. Must be called before a request, because other
   * threads may see newer versions during the request.
   */
  private long highest(RecordKey key) {
    return versions.getOrDefault(key, 0L);
  }

  /**
   * Processes a record that was read. If the change acquires access, fails if the store has another
   * identity or the record has an older version than before.
   */
  private Seen<T> saw(long before, Seen<T> now, boolean acquires) {
    remember(before, now);
    if (acquires) {
      checkStore(now.key());
      boolean isRemoved = now.stored().isEmpty() && codec.removes();
      if (now.version() < before && !isRemoved) {
        throw wentBack("it has version " + now.version() + ", but had " + before + " before");
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
      // Some of the versions belong to records that other writers have removed.
      versions.keySet().retainAll(known.keySet());
    }
  }

  /** Returns the number of records whose version is kept. */
  int keptVersions() {
    return versions.size();
  }

  /**
   * Checks whether claims may be acquired with a record, without a request to the store.
   *
   * @throws RecordFailure if the store has another identity than before, may have lost writes of
   *     the record, or accepts no writes
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
      throw wentBack("it is store '" + now + "' now, but was '" + before + "'");
    }
    store
        .uncertainty(key)
        .ifPresent(
            doubt -> {
              throw wentBack(doubt.text());
            });
  }

  /**
   * Fails if the records of the store were moved, or if the store is the target of a move that is
   * not complete. The mark of a shared store is read only once, because all its processes are
   * stopped before a move. A store that only this process uses may be marked at any time, so its
   * mark is read each time.
   *
   * @throws RecordFailure if the store must not be changed
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

  /** Converts the exception of a store into a failure. */
  public static RecordFailure failure(RecordStoreException refused) {
    ChangeOutcome outcome =
        switch (refused.reason()) {
          case UNAVAILABLE, CLOSED -> ChangeOutcome.UNAVAILABLE;
          case TOO_LARGE -> ChangeOutcome.REFUSED;
          case UNREADABLE, IN_DOUBT, MOVED -> ChangeOutcome.HELD;
        };
    // The caller that reports the failure adds the next step.
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
