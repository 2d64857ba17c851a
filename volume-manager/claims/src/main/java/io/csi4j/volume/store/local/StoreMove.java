package io.csi4j.volume.store.local;

import io.csi4j.volume.internal.store.RecordValues;
import io.csi4j.volume.state.StateValue;
import io.csi4j.volume.state.seal.SealException;
import io.csi4j.volume.state.seal.SealedBytes;
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
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Moves all records of a store to another one, such as from the disk of this host to etcd: claims,
 * the catalog, and what belongs to the cluster. The bytes of each record stay as they are, also
 * those that this version cannot read.
 *
 * <pre>{@code
 * try (LocalStore from = LocalStore.openMoved(directory);
 *     RecordStore to = EtcdStore.open(etcd)) {
 *   StoreMove.Result moved = StoreMove.run(from, to);
 *   log.accept(moved.records()); // how many of each space, after a comparison of all
 * }
 * }</pre>
 *
 * <p>Before the first record is written, a {@link LocalStore} is marked: it accepts no writes any
 * more, and {@link LocalStore#open} refuses it, so that no control plane goes on with the former
 * records. A source that several processes share cannot be marked: end all processes that use it
 * before.
 *
 * <p>A move that was ended at any point is run again: it writes what is missing. Nothing in the
 * target is ever written over.
 *
 * <p>Sealed records stay sealed. They are copied as they are where the target is sealed with the
 * same key, or its key is not known here; otherwise they are sealed with the key of the target.
 *
 * @since 1.0
 */
public final class StoreMove {

  private static final int PAGE = 256;

  /** Number of times that a write is tried whose result is not known. */
  private static final int DOUBTS = 8;

  /** Bytes of a hash that are shown of a record. */
  private static final int SHOWN = 4;

  private final RecordStore from;
  private final RecordStore to;
  private int copied;

  private StoreMove(RecordStore from, RecordStore to) {
    this.from = Objects.requireNonNull(from, "from");
    this.to = Objects.requireNonNull(to, "to");
  }

  /**
   * A move that is complete: the target has all records of the source, and no others.
   *
   * @param from the store that had the records
   * @param to the store that has them now
   * @param records the number of records in each space
   * @param copied the number of records that this run has written; an earlier run wrote the others
   */
  public record Result(
      StoreIdentity from, StoreIdentity to, Map<Space, Integer> records, int copied) {

    /** Copies the numbers. */
    public Result {
      Objects.requireNonNull(from, "from");
      Objects.requireNonNull(to, "to");
      records = Collections.unmodifiableMap(new EnumMap<>(records));
    }
  }

  /**
   * Moves the records, and compares both stores at the end.
   *
   * @param from the store that has the records; a local one is opened by {@link
   *     LocalStore#openMoved}
   * @param to an empty store, or one to which an earlier run has moved some of the records
   * @throws RecordStoreException if a store cannot answer or write: run the move again. If a record
   *     cannot be read, or a store is in doubt, nothing was changed
   * @throws IllegalArgumentException if both are one store, the target has other records, or the
   *     records were moved to another store before; nothing was changed then
   */
  public static Result run(RecordStore from, RecordStore to) {
    return new StoreMove(from, to).run();
  }

  private Result run() {
    checkStores();
    eachKey(this::check);
    if (from instanceof LocalStore local && local.movedTo().isEmpty()) {
      local.moveTo(to.identity());
    }
    copy();
    Map<Space, Integer> records = new EnumMap<>(Space.class);
    Stream.of(Space.values()).forEach(space -> records.put(space, 0));
    eachKey(
        (source, target) -> {
          check(source, target);
          StoredRecord moved = Objects.requireNonNull(source);
          if (target == null) {
            throw new RecordStoreException(
                Reason.UNAVAILABLE,
                "Moving "
                    + moved.key()
                    + " failed: store '"
                    + to.identity()
                    + "' does not have it at the end, so another process has written to one of the"
                    + " stores. End all processes that use them, and start the move again.");
          }
          records.merge(moved.key().space(), 1, Integer::sum);
        });
    return new Result(from.identity(), to.identity(), records, copied);
  }

  private void checkStores() {
    StoreIdentity target = to.identity();
    if (from instanceof LocalLook) {
      throw new IllegalArgumentException(
          "Moving the records failed: the source was opened for a look, so nothing keeps a control"
              + " plane from changing it. Open it with LocalStore.openMoved.");
    }
    if (from.identity().equals(target)) {
      throw new IllegalArgumentException(
          "Moving the records failed: both stores are '" + target + "'. Name another store.");
    }
    to.readOnly()
        .ifPresent(
            why -> {
              throw inDoubt("the target, store '" + target + "', accepts no writes: " + why);
            });
    if (from instanceof LocalStore local) {
      local
          .movedTo()
          .filter(before -> !before.equals(target))
          .ifPresent(
              before -> {
                throw new IllegalArgumentException(
                    "Moving the records failed: they were moved to store '"
                        + before
                        + "' before, or a move there has begun, and this target is store '"
                        + target
                        + "'. Name that store, or take the records back first: 'csi4j store"
                        + " take-back'.");
              });
      local.uncertainties().stream()
          .findFirst()
          .ifPresent(
              doubt -> {
                throw inDoubt("the journal of the source is in doubt: " + doubt.text());
              });
      local.unnamed().stream()
          .findFirst()
          .ifPresent(
              key -> {
                throw unreadable(key, "its bytes do not say whose record it is");
              });
    } else {
      from.readOnly()
          .ifPresent(
              why -> {
                throw inDoubt("the source, store '" + from.identity() + "', is in doubt: " + why);
              });
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
            + ". Find out which volume it is of, and remove or restore the record.");
  }

  /** Checks a record of the source, and that the target has the same or none. */
  private void check(@Nullable StoredRecord source, @Nullable StoredRecord target) {
    if (source == null) {
      throw new IllegalArgumentException(
          "Moving the records failed: the target, store '"
              + to.identity()
              + "', has other records: "
              + shown(Objects.requireNonNull(target))
              + ", of which the source, store '"
              + from.identity()
              + "', has none. Name an empty store.");
    }
    if (source.version() < 1 || source.value().bytes().length == 0) {
      throw unreadable(
          source.key(),
          "it has version "
              + source.version()
              + " and "
              + source.value().bytes().length
              + " bytes that can be read, so no store wrote it");
    }
    from.uncertainty(source.key())
        .ifPresent(
            why -> {
              throw inDoubt("the source, store '" + from.identity() + "', is in doubt: " + why);
            });
    if (target == null) {
      // What cannot be sealed again is refused before anything is written.
      carried(source);
    } else if (!isSame(source, target)) {
      throw new IllegalArgumentException(
          "Moving the records failed: the target, store '"
              + to.identity()
              + "', has "
              + shown(target)
              + ", and the source, store '"
              + from.identity()
              + "', has "
              + shown(source)
              + ". Name an empty store.");
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
        (source, target) -> {
          if (source != null && target == null) {
            batch.add(source);
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

  /** Writes records that are not there. A write that was not answered may have been made. */
  private void write(List<StoredRecord> batch) {
    List<StoredRecord> missing = batch;
    for (int doubts = 0; !missing.isEmpty(); ) {
      WriteResult result =
          to.write(
              missing.stream()
                  .map(
                      each ->
                          new RecordWrite(each.key(), Optional.empty(), Optional.of(carried(each))))
                  .toList());
      if (result instanceof WriteResult.Unknown unknown && ++doubts == DOUBTS) {
        throw new RecordStoreException(
            Reason.UNAVAILABLE,
            "Moving "
                + missing.get(0).key()
                + " failed: "
                + unknown.because()
                + ". Start the move again; it goes on where it was.");
      }
      int before = missing.size();
      missing = result instanceof WriteResult.Written ? List.of() : missing(missing);
      copied += before - missing.size();
    }
  }

  private List<StoredRecord> missing(List<StoredRecord> batch) {
    List<StoredRecord> missing = new ArrayList<>();
    for (StoredRecord each : batch) {
      Optional<StoredRecord> there = to.read(each.key());
      check(each, there.orElse(null));
      if (there.isEmpty()) {
        missing.add(each);
      }
    }
    return missing;
  }

  // ---- sealed records

  /** Returns the bytes that the target gets. */
  private StateValue carried(StoredRecord source) {
    byte[] bytes = source.value().bytes();
    if (to instanceof LocalStore local) {
      // A local store seals its state, and not the values.
      return inState(source, local.isSealed());
    }
    Optional<Sealer> key = to.sealer();
    if (key.isEmpty()) {
      if (from instanceof LocalStore local && local.isSealed()) {
        throw unsealed(source.key());
      }
      return source.value();
    }
    if (SealedBytes.areSealed(bytes) && opened(bytes, source.key(), key).isPresent()) {
      return source.value();
    }
    return StateValue.ofWrapped(
        SealedBytes.seal(clear(source), RecordValues.about(source.key()), key.get()));
  }

  private StateValue inState(StoredRecord source, boolean isSealed) {
    boolean wasSealed =
        SealedBytes.areSealed(source.value().bytes())
            || (from instanceof LocalStore local && local.isSealed());
    if (wasSealed && !isSealed) {
      throw unsealed(source.key());
    }
    return StateValue.of(clear(source));
  }

  private static IllegalArgumentException unsealed(RecordKey key) {
    return new IllegalArgumentException(
        "Moving "
            + key
            + " failed: it is sealed in the source, and the target would keep it in clear. Give the"
            + " target the key.");
  }

  private byte[] clear(StoredRecord source) {
    return opened(source.value().bytes(), source.key(), from.sealer())
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "Moving "
                        + source.key()
                        + " failed: it is sealed with a key that is not among those given. Give the"
                        + " key of the source."));
  }

  private static Optional<byte[]> opened(byte[] bytes, RecordKey key, Optional<Sealer> sealer) {
    if (!SealedBytes.areSealed(bytes)) {
      return Optional.of(bytes);
    }
    try {
      return sealer.map(it -> SealedBytes.open(bytes, RecordValues.about(key), it));
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
    byte[] bytes = record.value().bytes();
    return opened(bytes, record.key(), to.sealer())
        .or(() -> opened(bytes, record.key(), from.sealer()));
  }

  // ---- both stores side by side

  /** Passes on each key that is in one of the stores, or in both. */
  private void eachKey(BiConsumer<@Nullable StoredRecord, @Nullable StoredRecord> both) {
    for (Space space : Space.values()) {
      Records sources = new Records(from, space);
      Records targets = new Records(to, space);
      while (true) {
        StoredRecord source = sources.first();
        StoredRecord target = targets.first();
        if (source == null && target == null) {
          break;
        }
        int order = source == null ? 1 : target == null ? -1 : source.key().compareTo(target.key());
        if (order <= 0) {
          sources.next();
        }
        if (order >= 0) {
          targets.next();
        }
        both.accept(order <= 0 ? source : null, order >= 0 ? target : null);
      }
    }
  }

  /** The records of a space in the order of their keys, read by pages. */
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

    /** Returns the record that {@link #next} takes; nothing at the end. */
    @Nullable StoredRecord first() {
      while (page.isEmpty() && !isLast) {
        RecordStore.Page read = store.scan(space, after, PAGE);
        page.addAll(read.records());
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
