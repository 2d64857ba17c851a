package io.csi4j.volume.store.local;

import io.csi4j.volume.internal.seal.SealedBytes;
import io.csi4j.volume.internal.store.MoveMark;
import io.csi4j.volume.internal.store.RecordValues;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.state.StateValue;
import io.csi4j.volume.state.seal.SealException;
import io.csi4j.volume.state.seal.Sealer;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordKey.Space;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.RecordStore.WriteResult;
import io.csi4j.volume.store.RecordStoreException;
import io.csi4j.volume.store.RecordStoreException.Reason;
import io.csi4j.volume.store.RecordWrite;
import io.csi4j.volume.store.StoreIdentity;
import io.csi4j.volume.store.StoredRecord;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Moves all records of a store to another store, for example from the disk of this host to etcd.
 * The records are the claims, the catalog, and the identity and settings of the cluster. The bytes
 * of each record stay the same, even if this version cannot read them.
 *
 * <pre>{@code
 * try (RecordStore from = LocalStore.open(directory);
 *     RecordStore to = EtcdStore.open(etcd)) {
 *   StoreMove.Result moved = StoreMove.run(from, to);
 *   log.accept(moved.records()); // how many of each space, after a comparison of all
 * }
 * }</pre>
 *
 * <p>A cluster that has an identity refuses the target until an operator has accepted the target
 * with the controller's {@code ClusterSetup.accept}. Before the move, the host must check that the
 * cluster has accepted the source ({@code ClusterSetup.isAccepted}), because it is no longer
 * possible after the move to detect that the source was only a copy.
 *
 * <p>Both stores are marked before the first record is written. The mark of the target is removed
 * when the move is complete. The mark of the source stays until an operator {@link #takeBack takes
 * the records back}. Since csi4j changes nothing in a marked store, at most one of the two stores
 * is in use at any time. A {@link LocalStore} refuses writes as soon as it is marked. A process
 * that has a shared store open reads the mark only once, so stop all processes that use one of the
 * stores before the move.
 *
 * <p>A move that was interrupted can be run again, and then writes the missing records. No record
 * in the target is ever overwritten. Running a complete move again copies nothing, because the
 * target may have been used since.
 *
 * <p>Encrypted ("sealed") records stay encrypted. They are copied unchanged if the target uses the
 * same key, or if the key of the target is not configured here. Otherwise, they are encrypted with
 * the key of the target.
 *
 * @since 1.0
 */
public final class StoreMove {

  private static final int PAGE = 256;

  /** Maximum number of attempts for a write that is refused or whose result is unknown. */
  private static final int TRIES = 8;

  /** Number of bytes of a record's hash that messages show. */
  private static final int SHOWN = 4;

  private final RecordStore from;
  private final RecordStore to;
  private final StoreIdentity source;
  private final StoreIdentity target;
  private final Optional<MoveMark> sourceMark;
  private final Optional<MoveMark> targetMark;
  private int copied;

  private StoreMove(RecordStore from, RecordStore to) {
    this.from = Objects.requireNonNull(from, "from");
    this.to = Objects.requireNonNull(to, "to");
    this.sourceMark = mark(from);
    this.targetMark = mark(to);
    this.source = from.identity();
    this.target = to.identity();
  }

  /**
   * The result of a complete move. The target has all records of the source.
   *
   * @param from the source
   * @param to the target
   * @param records the number of records in each space of the source, which still contains them
   * @param copied the number of records that this run has written; an earlier run has written all
   *     other records
   * @param wasComplete whether an earlier run had already completed the move; if so, this run has
   *     not copied or compared any records
   */
  public record Result(
      StoreIdentity from,
      StoreIdentity to,
      Map<Space, Integer> records,
      int copied,
      boolean wasComplete) {

    /** Copies the map, and checks that all parts are set. */
    public Result {
      Objects.requireNonNull(from, "from");
      Objects.requireNonNull(to, "to");
      records = Collections.unmodifiableMap(new EnumMap<>(records));
    }
  }

  /**
   * Moves the records, and compares both stores at the end.
   *
   * @param from the source
   * @param to the target: an empty store, or a store to which an earlier run has moved some of the
   *     records
   * @throws RecordStoreException if a store cannot answer or write; in this case, run the move
   *     again. Also if a record cannot be read, or a store may have lost records; in this case,
   *     nothing was changed
   * @throws IllegalArgumentException as {@link #check} does; nothing was changed
   */
  public static Result run(RecordStore from, RecordStore to) {
    if (from instanceof LocalLook) {
      throw new IllegalArgumentException(
          "Moving the records failed: the source was opened only for reading, so nothing prevents a"
              + " control plane from changing it. Open it with LocalStore.open.");
    }
    return new StoreMove(from, to).run();
  }

  /**
   * Checks whether the records can be moved, without changing a store.
   *
   * @param from the source, or a read-only view of it
   * @param to the target
   * @throws RecordStoreException if a store cannot answer or may have lost records, or if a record
   *     cannot be read
   * @throws IllegalArgumentException if the source and the target are the same store, if the target
   *     has other records, if a store has the mark of another move, or if the target would store
   *     encrypted records in clear text
   */
  public static void check(RecordStore from, RecordStore to) {
    new StoreMove(from, to).check();
  }

  /**
   * Returns why csi4j does not change a store, as a clause for display. The reason is that the
   * records were moved to another store, or that a move from or to the store is not complete. Empty
   * if the store can be used.
   */
  public static Optional<ReasonText> whyNotUsed(RecordStore store) {
    return mark(store).map(mark -> mark.reason(store.identity()));
  }

  /**
   * Makes the source of a move usable again, as if the records had never been moved. An operator
   * can use this to cancel a move, but must first ensure that the other store is no longer used.
   * Claims and volumes that were created in the other store are not in this store.
   *
   * @return the target of the cancelled move; empty if the records were not moved
   * @throws RecordStoreException if the store cannot answer or write, or if it is the target of a
   *     move that is not complete
   */
  public static Optional<StoreIdentity> takeBack(RecordStore store) {
    Optional<MoveMark> there = mark(store);
    there
        .filter(MoveMark::comesIn)
        .ifPresent(
            mark -> {
              throw new RecordStoreException(
                  Reason.MOVED,
                  "Taking the records back failed: "
                      + mark.reason(store.identity())
                      + ". Take them back in the source, and empty this store before another"
                      + " move.");
            });
    change(store, there, Optional.empty());
    return there.map(MoveMark::other);
  }

  private Result run() {
    check();
    boolean wasComplete = isComplete();
    if (!wasComplete) {
      MoveMark there = new MoveMark(target, false, false);
      change(to, targetMark, Optional.of(comesIn()));
      change(from, sourceMark, Optional.of(there));
      try {
        copy();
        eachKey(this::compare);
      } catch (IllegalArgumentException other) {
        throw new RecordStoreException(
            Reason.IN_DOUBT,
            other.getMessage()
                + " Both stores already have the mark of the move: give the move up with 'csi4j store"
                + " take-back' first.",
            other);
      }
      checkIdentities();
      change(from, Optional.of(there), Optional.of(new MoveMark(target, false, true)));
    }
    if (!wasComplete || isOpenTarget()) {
      // Fails if an operator has taken the records back in the meantime, because the source is then
      // in use again.
      change(
          from,
          Optional.of(new MoveMark(target, false, true)),
          Optional.of(new MoveMark(target, false, true)));
      change(to, Optional.of(comesIn()), Optional.empty());
    }
    return new Result(source, target, counts(from), copied, wasComplete);
  }

  private MoveMark comesIn() {
    return new MoveMark(source, true, false);
  }

  private boolean isComplete() {
    return sourceMark.filter(MoveMark::isComplete).isPresent();
  }

  private boolean isOpenTarget() {
    return targetMark.equals(Optional.of(comesIn()));
  }

  private static Map<Space, Integer> counts(RecordStore store) {
    Map<Space, Integer> counts = new EnumMap<>(Space.class);
    for (Space space : Space.values()) {
      Records records = new Records(store, space);
      int count = 0;
      for (; records.first() != null; records.next()) {
        count++;
      }
      counts.put(space, count);
    }
    return counts;
  }

  private void compare(@Nullable StoredRecord moved, @Nullable StoredRecord there) {
    checkIdentities();
    check(moved, there);
    if (there == null) {
      throw new RecordStoreException(
          Reason.UNAVAILABLE,
          "Moving "
              + Objects.requireNonNull(moved).key()
              + " failed: store '"
              + target
              + "' does not have it at the end of the move, so another process has written to one"
              + " of the stores. Stop all processes that use them, and start the move again.");
    }
  }

  // ---- marks

  private static Optional<MoveMark> mark(RecordStore store) {
    return MoveMark.in(store).read(MoveMark.KEY).value();
  }

  /**
   * Writes or removes a mark. A write without an answer may have been made, so the store is read
   * again after it.
   */
  private static void change(
      RecordStore store, Optional<MoveMark> before, Optional<MoveMark> next) {
    RecordValues<MoveMark> marks = MoveMark.in(store);
    String because = "";
    for (int tries = 0; tries < TRIES; tries++) {
      RecordValues.Seen<MoveMark> there = marks.read(MoveMark.KEY);
      if (there.value().equals(next)) {
        return;
      }
      if (!there.value().equals(before)) {
        throw new RecordStoreException(
            Reason.UNAVAILABLE,
            "Marking store '"
                + store.identity()
                + "' failed: another process has changed its mark. Stop all processes that use the"
                + " stores, and start the move again.");
      }
      WriteResult result = RecordValues.write(store, List.of(marks.draft(there, next)));
      if (result instanceof WriteResult.Written) {
        return;
      }
      because =
          result instanceof WriteResult.Unknown unknown
              ? unknown.because().text()
              : "the write is refused, although the mark is unchanged";
    }
    throw new RecordStoreException(
        Reason.UNAVAILABLE,
        "Marking store '"
            + store.identity()
            + "' failed: "
            + because
            + ". Start the move again; it continues where it stopped.");
  }

  // ---- checks

  private void check() {
    checkStores();
    checkMarks();
    if (!isComplete()) {
      eachKey(
          (moved, there) -> {
            check(moved, there);
            if (there != null && targetMark.isEmpty()) {
              throw refused(
                  "the target, store '"
                      + target
                      + "', has records, such as "
                      + shown(there)
                      + ", but no move to it has begun. Use an empty store");
            }
          });
    }
  }

  private void checkStores() {
    if (source.equals(target)) {
      throw new IllegalArgumentException(
          "Moving the records failed: both stores are '" + target + "'. Use another store.");
    }
    to.readOnly()
        .ifPresent(
            why -> {
              throw inDoubt("the target, store '" + target + "', accepts no writes: " + why);
            });
    from.readOnly()
        .ifPresent(
            why -> {
              throw inDoubt("the source, store '" + source + "', is uncertain: " + why);
            });
    if (from instanceof LocalStore local) {
      local.uncertainties().stream()
          .findFirst()
          .ifPresent(
              doubt -> {
                throw inDoubt("the journal of the source is uncertain: " + doubt.text());
              });
      local.unnamed().stream()
          .findFirst()
          .ifPresent(
              key -> {
                throw unreadable(key, "its bytes do not contain its key");
              });
    }
  }

  /** Rejects stores that have marks of other moves. */
  private void checkMarks() {
    sourceMark
        .filter(MoveMark::comesIn)
        .ifPresent(
            mark -> {
              throw refused(mark.reason(source) + ". Run that move again first");
            });
    sourceMark
        .filter(mark -> !mark.other().equals(target))
        .ifPresent(
            mark -> {
              throw refused(
                  mark.reason(source)
                      + ", but this target is store '"
                      + target
                      + "'. Use that store, or take the records back first: 'csi4j store"
                      + " take-back'");
            });
    if (!isComplete() && !isOpenTarget()) {
      targetMark.ifPresent(
          mark -> {
            throw refused(mark.reason(target) + ". Use an empty store");
          });
    }
  }

  private static IllegalArgumentException refused(String why) {
    return new IllegalArgumentException("Moving the records failed: " + why + ".");
  }

  /** Stops the move if a store has another identity than at the beginning of the move. */
  private void checkIdentities() {
    checkIdentity("source", source, from.identity());
    checkIdentity("target", target, to.identity());
  }

  private static void checkIdentity(String what, StoreIdentity before, StoreIdentity now) {
    if (!now.equals(before)) {
      throw new RecordStoreException(
          Reason.IN_DOUBT,
          "Moving the records failed: the "
              + what
              + " is store '"
              + now
              + "' now, but was store '"
              + before
              + "' when the move began. Find out what has replaced it, and start the move again"
              + " with the right store.");
    }
  }

  private static RecordStoreException inDoubt(String why) {
    return new RecordStoreException(
        Reason.IN_DOUBT,
        "Moving the records failed: "
            + why
            + ". Compare its claims with what the nodes have mounted, then accept the store with"
            + " 'csi4j store accept'.");
  }

  private static RecordStoreException unreadable(RecordKey key, String why) {
    return new RecordStoreException(
        Reason.UNREADABLE,
        "Moving "
            + key
            + " failed: "
            + why
            + ". Find out which volume it belongs to, and remove or restore the record.");
  }

  /**
   * Checks that a record of the source can be moved, and that the target has the same record or no
   * record with this key.
   */
  private void check(@Nullable StoredRecord moved, @Nullable StoredRecord there) {
    if (moved == null) {
      throw new IllegalArgumentException(
          "Moving the records failed: the target, store '"
              + target
              + "', has other records: "
              + shown(Objects.requireNonNull(there))
              + ", of which the source, store '"
              + source
              + "', has none. Use an empty store.");
    }
    if (moved.version() < 1 || moved.value().bytes().length == 0) {
      throw unreadable(
          moved.key(),
          "it has version "
              + moved.version()
              + " and "
              + moved.value().bytes().length
              + " bytes that can be read, so no store wrote it");
    }
    from.uncertainty(moved.key())
        .ifPresent(
            why -> {
              throw inDoubt("the source, store '" + source + "', is uncertain: " + why);
            });
    if (there == null) {
      // Fails before anything is written if the target cannot take the record, for example because
      // a key is missing.
      carried(moved);
    } else if (!isSame(moved, there)) {
      throw new IllegalArgumentException(
          "Moving the records failed: the target, store '"
              + target
              + "', has "
              + shown(there)
              + ", and the source, store '"
              + source
              + "', has "
              + shown(moved)
              + ". Use an empty store.");
    }
  }

  private static String shown(StoredRecord record) {
    byte[] bytes = record.value().bytes();
    try {
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(bytes);
      return record.key()
          + " with version "
          + record.version()
          + ", "
          + bytes.length
          + " bytes and hash "
          + HexFormat.of().formatHex(hash, 0, SHOWN);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  private void copy() {
    List<StoredRecord> batch = new ArrayList<>();
    int together = Math.min(to.together(), PAGE);
    eachKey(
        (moved, there) -> {
          if (moved != null && there == null) {
            batch.add(moved);
          }
          if (batch.size() == together) {
            write(batch);
            batch.clear();
          }
        });
    if (!batch.isEmpty()) {
      write(batch);
    }
  }

  /**
   * Writes missing records. A write without an answer may have been made, so the store is read
   * again after it.
   */
  private void write(List<StoredRecord> batch) {
    List<StoredRecord> missing = batch;
    int tries = 0;
    while (!missing.isEmpty()) {
      WriteResult result =
          to.write(
              missing.stream()
                  .map(
                      each ->
                          new RecordWrite(each.key(), Optional.empty(), Optional.of(carried(each))))
                  .toList());
      List<StoredRecord> left =
          result instanceof WriteResult.Written ? List.of() : missing(missing);
      copied += missing.size() - left.size();
      tries = left.size() < missing.size() ? 0 : tries + 1;
      if (tries == TRIES) {
        throw new RecordStoreException(
            Reason.UNAVAILABLE,
            "Moving "
                + left.get(0).key()
                + " failed: "
                + (result instanceof WriteResult.Unknown unknown
                    ? unknown.because()
                    : "the target refuses the write, and does not have the record")
                + ". Start the move again; it continues where it stopped.");
      }
      missing = left;
    }
  }

  private List<StoredRecord> missing(List<StoredRecord> batch) {
    List<StoredRecord> missing = new ArrayList<>();
    for (StoredRecord each : batch) {
      Optional<StoredRecord> there = to.read(each.key());
      checkIdentities();
      check(each, there.orElse(null));
      if (there.isEmpty()) {
        missing.add(each);
      }
    }
    return missing;
  }

  // ---- sealed records

  /** Returns the bytes of a record as they must be written to the target. */
  private StateValue carried(StoredRecord source) {
    if (to instanceof LocalStore local) {
      // A local store encrypts its whole state, not single values.
      return inState(source, local.isSealed());
    }
    Optional<Sealer> key = to.sealer();
    if (key.isEmpty()) {
      if (from instanceof LocalStore local && local.isSealed()) {
        throw unsealed(source.key());
      }
      return source.value();
    }
    if (source.value().isSealed() && opened(source.value(), source.key(), key).isPresent()) {
      return source.value();
    }
    return StateValue.ofWrapped(
        SealedBytes.marked(key.get().seal(clear(source), RecordValues.about(source.key()))));
  }

  private StateValue inState(StoredRecord source, boolean isSealed) {
    boolean wasSealed =
        source.value().isSealed() || (from instanceof LocalStore local && local.isSealed());
    if (wasSealed && !isSealed) {
      throw unsealed(source.key());
    }
    return StateValue.of(clear(source));
  }

  private static IllegalArgumentException unsealed(RecordKey key) {
    return new IllegalArgumentException(
        "Moving "
            + key
            + " failed: it is sealed in the source, but the target would store it in clear text."
            + " Configure the key of the target.");
  }

  private byte[] clear(StoredRecord source) {
    return opened(source.value(), source.key(), from.sealer())
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "Moving "
                        + source.key()
                        + " failed: it is sealed with an unknown key. Configure the"
                        + " key of the source."));
  }

  private static Optional<byte[]> opened(StateValue value, RecordKey key, Optional<Sealer> sealer) {
    byte[] bytes = value.bytes();
    if (!value.isSealed()) {
      return Optional.of(bytes);
    }
    try {
      return sealer.map(it -> it.open(SealedBytes.unmarked(bytes), RecordValues.about(key)));
    } catch (SealException other) {
      return Optional.empty();
    }
  }

  private boolean isSame(StoredRecord source, StoredRecord target) {
    if (source.value().equals(target.value())) {
      return true;
    }
    Optional<byte[]> one = openedByAny(source);
    Optional<byte[]> other = openedByAny(target);
    return one.isPresent() && other.isPresent() && Arrays.equals(one.get(), other.get());
  }

  private Optional<byte[]> openedByAny(StoredRecord record) {
    return opened(record.value(), record.key(), to.sealer())
        .or(() -> opened(record.value(), record.key(), from.sealer()));
  }

  // ---- both stores in parallel

  /**
   * Visits each key that is in at least one of the stores, with its record in both stores. Skips
   * the marks.
   */
  private void eachKey(BiConsumer<@Nullable StoredRecord, @Nullable StoredRecord> both) {
    for (Space space : Space.values()) {
      Records sources = new Records(from, space);
      Records targets = new Records(to, space);
      while (true) {
        StoredRecord moved = sources.first();
        StoredRecord there = targets.first();
        if (moved == null && there == null) {
          break;
        }
        int order = moved == null ? 1 : there == null ? -1 : moved.key().compareTo(there.key());
        if (order <= 0) {
          sources.next();
        }
        if (order >= 0) {
          targets.next();
        }
        both.accept(order <= 0 ? moved : null, order >= 0 ? there : null);
      }
    }
  }

  /** The records of a space in the order of their keys, read page by page. */
  private static final class Records {
    private final RecordStore store;
    private final Space space;
    private final Deque<StoredRecord> page = new ArrayDeque<>();
    private Optional<RecordKey> after = Optional.empty();
    private boolean isLast;

    Records(RecordStore store, Space space) {
      this.store = store;
      this.space = space;
    }

    /** Returns the current record, which {@link #next} skips; null at the end. */
    @Nullable StoredRecord first() {
      while (page.isEmpty() && !isLast) {
        RecordStore.Page read = store.scan(space, after, PAGE);
        read.records().stream().filter(each -> !each.key().equals(MoveMark.KEY)).forEach(page::add);
        after = read.next();
        isLast = after.isEmpty();
      }
      return page.peek();
    }

    void next() {
      page.remove();
    }
  }
}
