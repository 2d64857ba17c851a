package io.csi4j.volume.store;

import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.state.seal.Sealer;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * A store of records that several processes share. A store knows keys, versions and bytes. Every
 * store guarantees:
 *
 * <ul>
 *   <li>Reads and writes are linearizable: each process sees a write as soon as it is made.
 *   <li>A write has a condition for each record: its version and its bytes are still those that the
 *       writer has seen. A write is made completely or not at all.
 *   <li>Each write of a record has a higher version than all writes of that key before, also after
 *       the record was removed and written again.
 *   <li>A write whose result is not known is reported as {@link WriteResult.Unknown}, never as a
 *       failure.
 *   <li>A watch reports when it has missed a change.
 *   <li>Two stores have two identities. A process that meets another store than the one that it
 *       opened reports the identity of the other store until it opens the store again.
 *   <li>A store that may have lost records reports that, and accepts no write before an operator
 *       has settled it.
 * </ul>
 *
 * <p>A restored copy of a store may give a version a second time, but to other bytes: the writers
 * put a mark into the bytes of each write that no other write has. The condition compares both.
 *
 * <p>No guarantee depends on a lease or on a clock. {@link #read}, {@link #write}, {@link #scan}
 * and {@link #watch} wait for the store, and throw {@link RecordStoreException} when it cannot
 * answer. The other methods return what this process knows: they ask no store, and do not wait for
 * one. All methods are safe for many threads. An interrupt does not harm the store, and stays set.
 * {@code RecordStoreChecks} in csi4j-conformance shows whether a store keeps these guarantees.
 *
 * @since 1.0
 */
public interface RecordStore extends AutoCloseable {

  /** Returns the current record; empty if there is none. */
  Optional<StoredRecord> read(RecordKey key);

  /**
   * Makes some writes, all of them or none.
   *
   * @param writes at least one and at most {@link #together()}, each for another key
   * @throws RecordStoreException if the write was not made, and never will be
   */
  WriteResult write(List<RecordWrite> writes);

  /** Makes one write. */
  default WriteResult write(RecordWrite write) {
    return write(List.of(write));
  }

  /** Returns the number of records that one write may change. */
  default int together() {
    return 1;
  }

  /**
   * Returns records of a space in the order of their keys. Each record was correct at one moment;
   * together they are not a snapshot.
   *
   * @param after only records after this key; empty for the first page
   * @param limit the number of records that the caller wants, at least 1; only {@link Page#next}
   *     says whether there are more
   */
  Page scan(RecordKey.Space space, Optional<RecordKey> after, int limit);

  /** Follows the writes of a space from now on. */
  Watch watch(RecordKey.Space space);

  /**
   * Returns the identity of the store that was opened; once another store has answered this
   * process, the identity of that one.
   */
  StoreIdentity identity();

  /**
   * Returns why the store may have lost writes of a record. The record can be read, and what it
   * holds can be released; nothing may be acquired by it.
   */
  default Optional<ReasonText> uncertainty(RecordKey key) {
    return Optional.empty();
  }

  /**
   * Returns why the store accepts no write at all: it has records, and nothing shows that none was
   * lost. An operator must settle the store. The reason disappears when any process has settled it.
   */
  default Optional<ReasonText> readOnly() {
    return Optional.empty();
  }

  /**
   * Returns whether several processes may have the store open at the same time. If not, a process
   * that had it open before has closed it, or has ended.
   */
  default boolean isShared() {
    return true;
  }

  /**
   * Returns the key that writers seal values with before they give them to this store. A store
   * neither seals nor opens values; it only returns the configured key.
   */
  default Optional<Sealer> sealer() {
    return Optional.empty();
  }

  /** Releases the connections of this process. Closing again has no effect. */
  @Override
  void close();

  /** The result of a write. */
  sealed interface WriteResult {

    /**
     * The write was made.
     *
     * @param now the records that were written, in the order of the writes, without removed ones
     */
    record Written(List<StoredRecord> now) implements WriteResult {

      /** Copies the list. */
      public Written {
        now = List.copyOf(now);
      }
    }

    /**
     * The write was not made, and never will be: a condition did not hold.
     *
     * @param now the current records of the keys in the writes
     */
    record Conflict(List<StoredRecord> now) implements WriteResult {

      /** Copies the list. */
      public Conflict {
        now = List.copyOf(now);
      }
    }

    /**
     * The write was made, was not made, or may still be made. Reading again shows it.
     *
     * @param because the reason, as a clause for display
     */
    record Unknown(ReasonText because) implements WriteResult {

      /** Checks that the reason is there. */
      public Unknown {
        Objects.requireNonNull(because, "because");
      }
    }
  }

  /**
   * Some records of a space, in the order of their keys.
   *
   * @param records the records
   * @param next the key after which the next page begins; empty on the last page
   */
  record Page(List<StoredRecord> records, Optional<RecordKey> next) {

    /** Copies the list. */
    public Page {
      records = List.copyOf(records);
      Objects.requireNonNull(next, "next");
    }

    /**
     * Returns a page of these records.
     *
     * @param records the first records after a key
     * @param limit the requested number: with fewer records, this is the last page
     */
    public static Page of(List<StoredRecord> records, int limit) {
      return new Page(
          records,
          records.isEmpty() || records.size() < limit
              ? Optional.empty()
              : Optional.of(records.get(records.size() - 1).key()));
    }
  }

  /** A watch on the writes of a space, in the order in which they were made. */
  interface Watch extends AutoCloseable {

    /**
     * Returns the next change.
     *
     * @param wait the maximum time to wait for one
     * @return empty if there was none in that time, or if the watch is closed: a closed watch
     *     returns no change, not even one that came before it was closed
     * @throws InterruptedException if the waiting thread is interrupted; no change is lost by that
     */
    Optional<Change> next(Duration wait) throws InterruptedException;

    /** Ends the watch. */
    @Override
    void close();

    /** A change of a record. */
    sealed interface Change {

      /**
       * A record was written.
       *
       * @param now the record; newer ones of the same key may have been written since
       */
      record Written(StoredRecord now) implements Change {}

      /**
       * A record was removed.
       *
       * @param key its key
       * @param version the version of the removal, higher than that of the record
       */
      record Removed(RecordKey key, long version) implements Change {}

      /**
       * Some changes were missed: a follower must scan again.
       *
       * @param because the reason, as a clause for display
       */
      record Missed(ReasonText because) implements Change {}
    }
  }
}
