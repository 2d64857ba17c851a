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
 * The requests that a store makes to etcd. Every answer is linearizable. A request that is not
 * answered within the deadline fails with {@link Failure}. A write that may have been made is never
 * repeated.
 */
interface Etcd extends AutoCloseable {

  /** Reads only the mark of the store, without records. */
  Answer look();

  /** Reads a record. */
  Answer read(RecordKey key);

  /** Reads a page of records in the order of their keys. */
  Answer scan(RecordKey.Space space, Optional<RecordKey> after, int limit);

  /** Writes the mark of the store, if the store has no mark. */
  Answer mark(StoreIdentity mark);

  /**
   * Makes several writes atomically. They are made only if the bytes and the version of each
   * expected record are unchanged, and the store still has this mark. Otherwise, the answer
   * contains the current records.
   */
  Answer write(StoreIdentity mark, List<RecordWrite> writes);

  /**
   * Reports the changes of a space, beginning at a revision, until it is stopped or reports its
   * end.
   *
   * @return an action that stops the reports
   */
  Runnable follow(RecordKey.Space space, long from, Follower follower);

  @Override
  void close();

  /** Receives the changes of a space, one call after the other, in the order of their revisions. */
  interface Follower {

    /**
     * Receives some changes.
     *
     * @param revision the revision of the last of these changes
     */
    void told(long revision, List<Change> changes);

    /**
     * Is called when no more changes follow.
     *
     * @param isCompacted whether etcd has discarded the requested revisions
     */
    void ended(boolean isCompacted);
  }

  /**
   * An answer of etcd.
   *
   * @param isDone whether the conditional write of the request was made
   * @param revision the current revision of etcd, which increases with each write to any key
   * @param cluster the id of the etcd cluster
   * @param mark the mark of the store; empty if the store has no mark
   * @param page the requested records
   */
  record Answer(
      boolean isDone, long revision, long cluster, Optional<StoreIdentity> mark, Page page) {

    /** Checks that the mark and the page are set. */
    public Answer {
      Objects.requireNonNull(mark, "mark");
      Objects.requireNonNull(page, "page");
    }

    /** Creates an answer that contains all requested records. */
    Answer(
        boolean isDone,
        long revision,
        long cluster,
        Optional<StoreIdentity> mark,
        List<StoredRecord> records) {
      this(isDone, revision, cluster, mark, new Page(records, Optional.empty()));
    }

    /** Returns the requested records. */
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

    /**
     * Returns why the store that answered may have lost records; empty if it has a mark. Without a
     * mark, the store is treated like a restored older copy.
     */
    Optional<ReasonText> problem() {
      return mark.isPresent()
          ? Optional.empty()
          : Optional.of(new ReasonText("it has records but no mark, like a restored older copy"));
    }
  }

  /** Thrown when a request to etcd failed. The message is the reason as a clause. */
  final class Failure extends RuntimeException {

    @Serial private static final long serialVersionUID = 1L;

    private final Fate fate;
    private final String remedy;

    /** Whether a failed write may have been made. */
    enum Fate {
      /** The write was not made, and will not be made later. */
      REFUSED,
      /** It is unknown whether the write was made. */
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
