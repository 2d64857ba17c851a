package io.csi4j.volume.claim.etcd;

import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordStore.Page;
import io.csi4j.volume.store.RecordStore.Watch.Change;
import io.csi4j.volume.store.RecordWrite;
import io.csi4j.volume.store.StoreIdentity;
import io.csi4j.volume.store.StoredRecord;
import java.io.Serial;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The requests of the store to etcd. Every answer is linearizable; a request is answered within the
 * deadline, or fails with {@link Failure}. A call that may have been executed is never repeated.
 */
interface Etcd extends AutoCloseable {

  /** Reads only the mark of the store. */
  Answer look();

  /** Reads a record. */
  Answer read(RecordKey key);

  /** Reads records in the order of their keys. */
  Answer scan(RecordKey.Space space, Optional<RecordKey> after, int limit);

  /** Writes the mark of the store, if it has none. */
  Answer mark(StoreIdentity mark);

  /**
   * Makes writes, all or none: if each expected record is unchanged, byte for byte, and the store
   * still has this mark. Otherwise, the answer contains the current records.
   */
  Answer write(StoreIdentity mark, List<RecordWrite> writes);

  /**
   * Reports the writes in a space from a revision on, until it is stopped or reports that it has
   * ended.
   *
   * @return stops the reports
   */
  Runnable follow(RecordKey.Space space, long from, Follower follower);

  @Override
  void close();

  /** Receives writes: one call after the other, in the order of revisions. */
  interface Follower {

    /**
     * Reports writes.
     *
     * @param revision the revision of the last reported write
     */
    void told(long revision, List<Change> changes);

    /**
     * Reports that nothing more follows.
     *
     * @param isCompacted whether etcd has discarded the requested revisions
     */
    void ended(boolean isCompacted);
  }

  /**
   * An answer of etcd.
   *
   * @param isDone whether a conditional write was made
   * @param revision the number of writes to all of etcd; it only grows
   * @param cluster the id of the etcd cluster
   * @param mark the mark of the store, if it has one
   * @param page the requested records
   */
  record Answer(
      boolean isDone, long revision, long cluster, Optional<StoreIdentity> mark, Page page) {

    /** Checks that the parts are present. */
    public Answer {
      Objects.requireNonNull(mark, "mark");
      Objects.requireNonNull(page, "page");
    }

    /** An answer with all requested records. */
    Answer(
        boolean isDone,
        long revision,
        long cluster,
        Optional<StoreIdentity> mark,
        List<StoredRecord> records) {
      this(isDone, revision, cluster, mark, new Page(records, Optional.empty()));
    }

    /** The requested records. */
    List<StoredRecord> records() {
      return page.records();
    }

    /** Returns the identity of the store that answered. */
    StoreIdentity identity() {
      return new StoreIdentity(
          "etcd-"
              + Long.toHexString(cluster)
              + mark.map(text -> "-" + text).orElse(", without the mark of a store"));
    }

    /** Returns why the store that answered may have lost records: it was opened before. */
    Optional<ReasonText> problem() {
      return mark.isPresent()
          ? Optional.empty()
          : Optional.of(new ReasonText("it has records but no mark, like a restored older copy"));
    }
  }

  /** Thrown when etcd did not answer a call as requested. The message contains the reason. */
  final class Failure extends RuntimeException {

    @Serial private static final long serialVersionUID = 1L;

    private final Fate fate;
    private final String remedy;

    /** The fate of a write. */
    enum Fate {
      /** The write was not made, and never will be. */
      REFUSED,
      /** It is not known whether the write was made. */
      UNKNOWN,
      /** No request was sent, because the store is closed. */
      CLOSED
    }

    Failure(Fate fate, String because, String remedy, @Nullable Throwable cause) {
      super(because, cause);
      this.fate = Objects.requireNonNull(fate, "fate");
      this.remedy = Objects.requireNonNull(remedy, "remedy");
    }

    Fate fate() {
      return fate;
    }

    /** Returns the reason, as a clause. */
    String because() {
      return Objects.requireNonNull(getMessage());
    }

    /** Returns the next step, without a full stop. */
    String remedy() {
      return remedy;
    }
  }
}
