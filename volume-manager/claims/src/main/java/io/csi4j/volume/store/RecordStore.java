package io.csi4j.volume.store;

import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.state.seal.Sealer;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * A store of records that several processes share. A store handles keys, versions and bytes, and
 * does not interpret the bytes. Every store guarantees:
 *
 * <ul>
 *   <li>Reads and writes are linearizable: each process sees a write as soon as it is made.
 *   <li>A write is conditional: the version and the bytes of each record must still be the same as
 *       the writer has read. A write is made completely or not at all.
 *   <li>Each write of a record has a higher version than all earlier writes of the same key, even
 *       if the record was removed in between.
 *   <li>If the result of a write is not known, it is reported as {@link WriteResult.Unknown}, never
 *       as a failure.
 *   <li>If a watch has missed changes, it reports this.
 *   <li>Two stores have different identities. If another store answers than the store that the
 *       process opened, {@link #identity} returns the identity of the other store until the process
 *       opens the store again.
 *   <li>A store that may have lost records reports this, and accepts no writes until an operator
 *       has confirmed its contents ("settled" the store).
 * </ul>
 *
 * <p>A store that was restored from a copy may use a version a second time, but for other bytes:
 * each writer puts a unique mark into the bytes of each write. Therefore, the condition of a write
 * compares both version and bytes.
 *
 * <p>No guarantee depends on a lease or on a clock. The methods {@link #read}, {@link #write},
 * {@link #scan} and {@link #watch} wait for the store, and throw {@link RecordStoreException} if it
 * cannot answer. The other methods return values that this process already has, and never wait for
 * the store. All methods are thread-safe. An interrupt does not harm the store, and the thread
 * stays interrupted. {@code RecordStoreChecks} in csi4j-conformance tests whether an implementation
 * keeps these guarantees.
 *
 * @since 1.0
 */
public interface RecordStore extends AutoCloseable {

  /** Returns the current record with this key; empty if the store has no such record. */
  Optional<StoredRecord> read(RecordKey key);

  /**
   * Makes several writes atomically: either all of them or none.
   *
   * @param writes at least one and at most {@link #together()} writes, each with a different key
   * @throws RecordStoreException if no write was made, and none will be made later
   */
  WriteResult write(List<RecordWrite> writes);

  /** Makes a single write. */
  default WriteResult write(RecordWrite write) {
    return write(List.of(write));
  }

  /** Returns the maximum number of records that can be written atomically. */
  default int together() {
    return 1;
  }

  /**
   * Returns a page of the records of a space, in the order of their keys. Each record was current
   * at some time during the call, but the page is not a snapshot of the store.
   *
   * @param after the key after which the page begins; empty for the first page
   * @param limit the requested number of records, at least 1. The page may have fewer records; only
   *     {@link Page#next} shows whether it is the last page
   */
  Page scan(RecordKey.Space space, Optional<RecordKey> after, int limit);

  /** Returns a watch that reports all changes of the records of a space from now on. */
  Watch watch(RecordKey.Space space);

  /**
   * Returns the identity of the store that was opened. If another store has answered a request of
   * this process since then, returns the identity of that store.
   */
  StoreIdentity identity();

  /**
   * Returns why the store may have lost writes of a record; empty if it shows no sign of that. An
   * uncertain record can be read, and its claims can be released, but no new claim may be acquired
   * with it.
   */
  default Optional<ReasonText> uncertainty(RecordKey key) {
    return Optional.empty();
  }

  /**
   * Returns why the store accepts no writes at all; empty if it accepts writes. The reason is that
   * the store may have lost records, and an operator must settle it. When any process has settled
   * the store, this method returns empty.
   */
  default Optional<ReasonText> readOnly() {
    return Optional.empty();
  }

  /**
   * Whether several processes may have the store open at the same time. If not, all other processes
   * that have opened the store have closed it or ended.
   */
  default boolean isShared() {
    return true;
  }

  /**
   * Returns the key with which writers encrypt ("seal") values before they pass them to this store.
   * The store only returns the configured key, and never encrypts or decrypts values itself.
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
     * @param now the records that were written, in the order of the writes, without removed records
     */
    record Written(List<StoredRecord> now) implements WriteResult {

      /** Copies the list. */
      public Written {
        now = List.copyOf(now);
      }
    }

    /**
     * The write was not made, because a record had changed. It will not be made later either.
     *
     * @param now the current records with the keys of the writes
     */
    record Conflict(List<StoredRecord> now) implements WriteResult {

      /** Copies the list. */
      public Conflict {
        now = List.copyOf(now);
      }
    }

    /**
     * It is unknown whether the write was made, or will still be made. The caller must read the
     * records again to find out.
     *
     * @param because the reason, as a clause for display
     */
    record Unknown(ReasonText because) implements WriteResult {

      /** Checks that the reason is set. */
      public Unknown {
        Objects.requireNonNull(because, "because");
      }
    }
  }

  /**
   * A page of the records of a space, in the order of their keys.
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
     * @param limit the requested number of records; if the page has fewer records, it is the last
     *     page
     */
    public static Page of(List<StoredRecord> records, int limit) {
      return new Page(
          records,
          records.isEmpty() || records.size() < limit
              ? Optional.empty()
              : Optional.of(records.get(records.size() - 1).key()));
    }
  }

  /** A watch that reports the changes of a space in the order in which they were made. */
  interface Watch extends AutoCloseable {

    /**
     * Returns the next change.
     *
     * @param wait the maximum time to wait for a change
     * @return empty if no change happened in that time, or if the watch is closed. A closed watch
     *     returns no changes, not even changes from before it was closed
     * @throws InterruptedException if the waiting thread is interrupted; no change is lost
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
       * @param now the record as it was written; it may have been written again since then
       */
      record Written(StoredRecord now) implements Change {}

      /**
       * A record was removed.
       *
       * @param key the key of the removed record
       * @param version the version of the removal, which is higher than the version of the record
       */
      record Removed(RecordKey key, long version) implements Change {}

      /**
       * The watch has missed changes, so its user must scan the space again.
       *
       * @param because the reason, as a clause for display
       */
      record Missed(ReasonText because) implements Change {}
    }
  }
}
