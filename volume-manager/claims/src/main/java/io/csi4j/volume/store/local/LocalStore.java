package io.csi4j.volume.store.local;

import io.csi4j.volume.internal.store.LocalRecords;
import io.csi4j.volume.internal.store.MoveMark;
import io.csi4j.volume.internal.store.StoreCodec;
import io.csi4j.volume.internal.time.Turns;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.state.JournalSettings;
import io.csi4j.volume.state.StateException;
import io.csi4j.volume.state.StateKey;
import io.csi4j.volume.state.StateStore;
import io.csi4j.volume.state.StateStore.Durability;
import io.csi4j.volume.state.StateStore.Stored;
import io.csi4j.volume.state.StateValue;
import io.csi4j.volume.state.Uncertainty;
import io.csi4j.volume.state.journal.JournalStateStore;
import io.csi4j.volume.state.seal.SealedStateStore;
import io.csi4j.volume.state.seal.Sealer;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.RecordStoreException;
import io.csi4j.volume.store.RecordStoreException.Reason;
import io.csi4j.volume.store.RecordWrite;
import io.csi4j.volume.store.StoreIdentity;
import io.csi4j.volume.store.StoredRecord;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A store on the disk of this host, for one process at a time: to be used when no other machine
 * needs the records. A write that was reported as made is on the medium, and survives any crash and
 * power cut. Claims and a catalog may share one directory.
 *
 * <p>Its state is separate from the state of a {@code VolumeManager}: a volume manager settles the
 * uncertainties of its state after checking its mounts, which show nothing about the claims and
 * volumes of a storage system.
 *
 * <p>After damage to the journal, nothing is acquired through the records that may be affected,
 * until an operator has compared them with the mounts and calls {@link #settle()}; releases
 * continue. The torn end that a crash during a write leaves is not damage: that write was not
 * reported as made.
 *
 * <p>Records that were written before records had versions can be read.
 *
 * <p>A store whose records were moved, see {@link StoreMove}, accepts no writes.
 *
 * @since 1.0
 */
public final class LocalStore implements RecordStore {

  /** Number of versions that are reserved at once; the next opening continues after them. */
  private static final long RESERVED = 1L << 32;

  private final StateStore state;
  private final StoreIdentity identity;
  private final AtomicLong lastVersion;
  private final AtomicLong floor;
  private final ConcurrentNavigableMap<RecordKey, StoredRecord> records;

  /** The records whose key is not known. */
  private final Map<StateKey, RecordKey> unnamed;

  private final Turns<RecordKey> turns = new Turns<>();
  private final ChangeFeed feed = new ChangeFeed();
  private volatile List<Uncertainty> uncertainties;

  /** Excludes record writes while the mark of a move is written. */
  private final ReentrantReadWriteLock moving = new ReentrantReadWriteLock();

  private volatile boolean closed;

  /**
   * Set when another process has taken over the state, so that its contents are no longer known.
   */
  private volatile @Nullable StateException takenOver;

  private LocalStore(StateStore state, LocalRecords stored, StoreIdentity identity) {
    this.state = state;
    this.identity = identity;
    this.records = new ConcurrentSkipListMap<>(stored.records());
    this.unnamed = new ConcurrentHashMap<>(stored.unnamed());
    this.uncertainties = stored.uncertainties();
    this.lastVersion =
        new AtomicLong(
            Math.max(Math.multiplyExact(state.owner().epoch(), RESERVED), stored.highest()));
    this.floor = new AtomicLong(lastVersion.get());
    reserve();
  }

  /**
   * Opens the store in this directory, and creates the directory if it is missing. Its parent must
   * exist, on a local disk.
   *
   * @throws RecordStoreException if it is in use by another process, or cannot be read
   * @throws IllegalArgumentException if the state in it is that of a volume manager
   */
  public static LocalStore open(Path directory) {
    return opened(directory, UnaryOperator.identity());
  }

  /**
   * Opens the store like {@link #open(Path)}, with each record sealed. Existing records in clear
   * text are sealed now.
   *
   * @throws RecordStoreException if it is in use by another process, cannot be read, or cannot be
   *     decrypted
   * @throws IllegalArgumentException if the state in it is that of a volume manager
   */
  public static LocalStore open(Path directory, Sealer sealer) {
    return opened(directory, state -> SealedStateStore.on(state, sealer));
  }

  /**
   * Reads the current records in this directory without opening their store: nothing is written or
   * locked, and the store may be open. The returned store has these records, accepts no writes and
   * has no watches.
   *
   * @param sealer the key of the records; without it, sealed records cannot be read
   * @throws RecordStoreException if there is no state, a newer version wrote it, or it cannot be
   *     read or opened
   * @throws IllegalArgumentException if it is the directory of a volume manager, or its state
   */
  public static RecordStore look(Path directory, Optional<Sealer> sealer) {
    return LocalLook.of(directory, sealer);
  }

  private static LocalStore opened(Path directory, UnaryOperator<StateStore> sealing) {
    StateStore journal;
    try {
      journal = JournalStateStore.open(directory, JournalSettings.defaults());
    } catch (StateException e) {
      throw unavailable(e);
    }
    try {
      // If this store sealed the state of a volume manager, the volume manager could no longer read
      // it.
      LocalRecords.check(journal.load());
      return on(sealing.apply(journal));
    } catch (StateException e) {
      journal.close();
      throw unavailable(e);
    } catch (RuntimeException refused) {
      journal.close();
      throw refused;
    }
  }

  /**
   * Opens the store in a state that is used only by it, and is closed with it.
   *
   * @throws RecordStoreException if the state cannot be read, or a new store cannot be written; the
   *     state is closed then
   * @throws IllegalArgumentException if the state is that of a volume manager; it stays open
   */
  public static LocalStore on(StateStore state) {
    Objects.requireNonNull(state, "state");
    try {
      LocalRecords stored = LocalRecords.of(state.load());
      StoreIdentity identity = stored.identity().orElseGet(() -> made(state));
      // Each crash leaves a torn end, whose uncertainty names every key.
      if (stored.uncertainties().isEmpty() && !state.load().uncertainties().isEmpty()) {
        state.settle();
      }
      return new LocalStore(state, stored, identity);
    } catch (StateException e) {
      state.close();
      throw unavailable(e);
    } catch (RecordStoreException e) {
      state.close();
      throw e;
    }
  }

  private static StoreIdentity made(StateStore state) {
    StoreIdentity identity = new StoreIdentity("local-" + UUID.randomUUID());
    keep(
        "Opening the store",
        state.put(
            LocalRecords.IDENTITY,
            StateValue.of(StoreCodec.encode(identity)),
            Durability.REQUIRED));
    return identity;
  }

  private static void keep(String doing, Stored stored) {
    if (stored != Stored.DURABLE) {
      throw new RecordStoreException(
          Reason.UNAVAILABLE, doing + " failed: its state is not persistent. Use another one.");
    }
  }

  /** Returns the damage to the journal that an operator has not settled. */
  List<Uncertainty> uncertainties() {
    return uncertainties;
  }

  /** Returns the records without their own name. */
  Collection<RecordKey> unnamed() {
    return unnamed.values();
  }

  /** Returns whether records are sealed on the medium. */
  boolean isSealed() {
    return state instanceof SealedStateStore;
  }

  /**
   * Reserves versions, so that none of them is used again after its record is gone. On a medium
   * that refuses writes, the reservation is written before the first record that it accepts again.
   */
  private void reserve() {
    state.put(
        LocalRecords.FLOOR, StoreCodec.floor(floor.addAndGet(RESERVED)), Durability.BEST_EFFORT);
  }

  @Override
  public Optional<StoredRecord> read(RecordKey key) {
    checkUsable();
    return there(key);
  }

  private Optional<StoredRecord> there(RecordKey key) {
    StoredRecord there = records.get(key);
    if (there == null && !unnamed.isEmpty()) {
      RecordKey other = unnamed.get(StoreCodec.stateKey(key));
      there = other == null ? null : records.get(other);
    }
    return Optional.ofNullable(there).map(it -> new StoredRecord(key, it.version(), it.value()));
  }

  @Override
  public WriteResult write(List<RecordWrite> writes) {
    if (writes.size() != 1) {
      throw new IllegalArgumentException(
          "A local store makes one write at a time, not " + writes.size() + ".");
    }
    RecordWrite write = writes.get(0);
    if (write.key().equals(MoveMark.KEY)) {
      moving.writeLock().lock();
      try {
        return conditional(write);
      } finally {
        moving.writeLock().unlock();
      }
    }
    moving.readLock().lock();
    try {
      checkMove(write.key());
      return turns.during(write.key(), () -> conditional(write));
    } finally {
      moving.readLock().unlock();
    }
  }

  /** Only a move into this store may write its records; a source accepts no more writes. */
  private void checkMove(RecordKey key) {
    MoveMark.in(this)
        .read(MoveMark.KEY)
        .value()
        .filter(mark -> !mark.comesIn())
        .ifPresent(
            mark -> {
              throw new RecordStoreException(
                  Reason.MOVED, "Writing " + key + " failed: " + mark.reason(identity) + ".");
            });
  }

  private WriteResult conditional(RecordWrite write) {
    checkUsable();
    Optional<StoredRecord> there = there(write.key());
    return there.equals(write.seen())
        ? made(write)
        : new WriteResult.Conflict(there.stream().toList());
  }

  private WriteResult made(RecordWrite write) {
    RecordKey key = write.key();
    StateKey stateKey = StoreCodec.stateKey(key);
    // An attempt uses up a version: after a failure the medium may have it, and show it later.
    long version = lastVersion.incrementAndGet();
    try {
      if (version > floor.get()) {
        reserve();
      }
      Optional<StoredRecord> next =
          write.next().map(value -> new StoredRecord(key, version, value));
      Stored stored =
          next.isPresent()
              ? state.put(stateKey, StoreCodec.local(next.get()), Durability.REQUIRED)
              : state.remove(stateKey);
      if (stored != Stored.DURABLE) {
        return new WriteResult.Unknown(
            new ReasonText("the state reports that the write is not on disk"));
      }
      RecordKey other = unnamed.remove(stateKey);
      if (other != null) {
        records.remove(other);
      }
      if (next.isPresent()) {
        records.put(key, next.get());
      } else {
        records.remove(key);
      }
      feed.report(
          key.space(),
          next.<Watch.Change>map(Watch.Change.Written::new)
              .orElseGet(() -> new Watch.Change.Removed(key, version)));
      return new WriteResult.Written(next.stream().toList());
    } catch (StateException e) {
      return failed(e);
    }
  }

  /**
   * Returns the result of a refused write, which may still be on the medium unless it never got
   * that far.
   */
  private WriteResult failed(StateException cause) {
    switch (cause.reason()) {
      case STATE_CLOSED ->
          throw new RecordStoreException(Reason.CLOSED, String.valueOf(cause.getMessage()), cause);
      case STATE_VALUE_TOO_LARGE ->
          throw new RecordStoreException(
              Reason.TOO_LARGE, String.valueOf(cause.getMessage()), cause);
      case STATE_SEALED -> throw unavailable(cause);
      case STATE_TAKEN_OVER -> {
        takenOver = cause;
        feed.close();
      }
      default -> {}
    }
    return new WriteResult.Unknown(new ReasonText(String.valueOf(cause.getMessage())));
  }

  @Override
  public Page scan(RecordKey.Space space, Optional<RecordKey> after, int limit) {
    checkUsable();
    return MemoryStore.page(records, space, after, limit);
  }

  @Override
  public Watch watch(RecordKey.Space space) {
    checkUsable();
    return feed.watch(space);
  }

  @Override
  public StoreIdentity identity() {
    return identity;
  }

  @Override
  public Optional<ReasonText> uncertainty(RecordKey key) {
    return LocalRecords.uncertainty(uncertainties, key);
  }

  /**
   * Clears the uncertainties: records can be acquired again. For an operator, or a program, that
   * has compared all claims with the mounts, and all volumes with the storage system.
   *
   * @throws RecordStoreException if the store is closed
   */
  public void settle() {
    checkUsable();
    try {
      state.settle();
    } catch (StateException e) {
      throw unavailable(e);
    }
    uncertainties = List.of();
  }

  @Override
  public boolean isShared() {
    return false;
  }

  @Override
  public void close() {
    closed = true;
    feed.close();
    state.close();
  }

  private void checkUsable() {
    if (closed) {
      throw new RecordStoreException(
          Reason.CLOSED, "Using the store '" + identity + "' failed: it is closed. Open it again.");
    }
    StateException other = takenOver;
    if (other != null) {
      throw unavailable(other);
    }
  }

  private static RecordStoreException unavailable(StateException cause) {
    return new RecordStoreException(Reason.UNAVAILABLE, String.valueOf(cause.getMessage()), cause);
  }
}
