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
 * A store on the disk of this host, for one process at a time. Use it if no other machine needs the
 * records. A write that was reported as made is on the disk, and survives any crash and power
 * failure. Claims and a catalog may share one directory.
 *
 * <p>The store must not share its state with a {@code VolumeManager}. After damage, a volume
 * manager checks the mounts of its node and then settles its state. The mounts do not show whether
 * claims or volumes of a storage system were lost.
 *
 * <p>After damage to the journal, no claims are acquired with records that may be affected, until
 * an operator has compared the records with the mounts and calls {@link #settle()}. Claims can
 * still be released. An incomplete last entry after a crash does not count as damage, because that
 * write was not reported as made.
 *
 * <p>The store can also read records of old csi4j versions that wrote records without versions.
 *
 * <p>A store accepts no writes after its records were moved to another store (see {@link
 * StoreMove}).
 *
 * @since 1.0
 */
public final class LocalStore implements RecordStore {

  /**
   * Number of versions in one reservation. When the store is opened again, its versions continue
   * after the reservation.
   */
  private static final long RESERVED = 1L << 32;

  private final StateStore state;
  private final StoreIdentity identity;
  private final AtomicLong lastVersion;
  private final AtomicLong floor;
  private final ConcurrentNavigableMap<RecordKey, StoredRecord> records;

  /** The records whose bytes do not contain their own key, by their key in the state. */
  private final Map<StateKey, RecordKey> unnamed;

  private final Turns<RecordKey> turns = new Turns<>();
  private final ChangeFeed feed = new ChangeFeed();
  private volatile List<Uncertainty> uncertainties;

  /** Prevents writes of records while the mark of a move is written. */
  private final ReentrantReadWriteLock moving = new ReentrantReadWriteLock();

  private volatile boolean closed;

  /**
   * The failure that showed that another process has taken over the state; null before. Afterwards,
   * this process no longer knows the contents of the state.
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
   * Opens the store in this directory. Creates the directory if it does not exist. The parent
   * directory must exist and must be on a local disk.
   *
   * @throws RecordStoreException if the store is in use by another process, or cannot be read
   * @throws IllegalArgumentException if the directory contains the state of a volume manager
   */
  public static LocalStore open(Path directory) {
    return opened(directory, UnaryOperator.identity());
  }

  /**
   * Opens the store like {@link #open(Path)}, and encrypts all records. Existing records in clear
   * text are also encrypted.
   *
   * @throws RecordStoreException if the store is in use by another process, cannot be read, or
   *     cannot be decrypted
   * @throws IllegalArgumentException if the directory contains the state of a volume manager
   */
  public static LocalStore open(Path directory, Sealer sealer) {
    return opened(directory, state -> SealedStateStore.on(state, sealer));
  }

  /**
   * Returns a read-only snapshot of the records in this directory. The store of the directory is
   * not opened, so nothing is written or locked, and a process may have the store open. The
   * returned store accepts no writes and has no watches.
   *
   * @param sealer the key with which the records are encrypted; without the key, encrypted records
   *     cannot be read
   * @throws RecordStoreException if the directory contains no state; or if the state was written by
   *     a newer version, or cannot be read or decrypted
   * @throws IllegalArgumentException if the directory belongs to a volume manager
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
      // Checks this before the state is encrypted: a volume manager could no longer read its own
      // state afterwards.
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
   * Opens a store that uses this state. The state must have no other users, and is closed together
   * with the store.
   *
   * @throws RecordStoreException if the state cannot be read, or a new store cannot be written; the
   *     state is then closed
   * @throws IllegalArgumentException if the state belongs to a volume manager; the state then stays
   *     open
   */
  public static LocalStore on(StateStore state) {
    Objects.requireNonNull(state, "state");
    try {
      LocalRecords stored = LocalRecords.of(state.load());
      StoreIdentity identity = stored.identity().orElseGet(() -> made(state));
      // A crash can leave an incomplete last entry. The state then reports an uncertainty for all
      // keys, although no confirmed write was lost.
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

  /** Returns the damage to the journal that no operator has settled yet. */
  List<Uncertainty> uncertainties() {
    return uncertainties;
  }

  /** Returns the keys of the records whose bytes do not contain their own key. */
  Collection<RecordKey> unnamed() {
    return unnamed.values();
  }

  /** Whether records are encrypted on the disk. */
  boolean isSealed() {
    return state instanceof SealedStateStore;
  }

  /**
   * Reserves versions, so that no version is used twice even after its record was removed. If the
   * disk refuses the write, the state writes the reservation later, before the next record.
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

  /**
   * Rejects the write of a record if the records of this store were moved, or are being moved, to
   * another store.
   */
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
    // Each attempt uses a new version, because a write that failed may nevertheless be on the disk
    // and appear later.
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
   * Returns the result of a failed write. For some reasons of the failure, the write may
   * nevertheless be on the disk, so its result is unknown.
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
   * Clears the uncertainties, so that claims can be acquired again. Before calling this method, an
   * operator or a program must compare all claims with the mounts, and all volumes with the storage
   * system.
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
