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
 * The questions of the store to etcd. Every answer is linearizable and comes within the deadline,
 * or a {@link Failure} does. A call that may have been done is never tried again.
 */
interface Etcd extends AutoCloseable {

  /** Only the mark of the store. */
  Answer look();

  /** A record. */
  Answer read(RecordKey key);

  /** Records in the order of their keys. */
  Answer scan(RecordKey.Space space, Optional<RecordKey> after, int limit);

  /** Makes the mark of the store, if it has none. */
  Answer mark(StoreIdentity mark);

  /**
   * Makes writes, all or none: if each record that was seen is still there, byte for byte, and the
   * mark of the store is this one. If not, the answer has the records that are there.
   */
  Answer write(StoreIdentity mark, List<RecordWrite> writes);

  /**
   * Reports what is written in a space from a revision on, until it is ended or reports that it has
   * ended.
   *
   * @return ends it
   */
  Runnable follow(RecordKey.Space space, long from, Follower follower);

  @Override
  void close();

  /** Is told of writes: one call after the other, in the order of revisions. */
  interface Follower {

    /**
     * Something was written.
     *
     * @param revision the last that is told of by this
     */
    void told(long revision, List<Change> changes);

    /**
     * Nothing more comes.
     *
     * @param isCompacted whether what was asked for has been thrown away by etcd
     */
    void ended(boolean isCompacted);
  }

  /**
   * An answer of etcd.
   *
   * @param isDone whether what was to be written under a condition is written
   * @param revision how often anything was written to the whole etcd; only ever grows
   * @param cluster the id of the etcd
   * @param mark the mark of the store, if it has one
   * @param page the records that were asked for
   */
  record Answer(
      boolean isDone, long revision, long cluster, Optional<StoreIdentity> mark, Page page) {

    /** Checks that the parts are there. */
    public Answer {
      Objects.requireNonNull(mark, "mark");
      Objects.requireNonNull(page, "page");
    }

    /** An answer with all records that were asked for. */
    Answer(
        boolean isDone,
        long revision,
        long cluster,
        Optional<StoreIdentity> mark,
        List<StoredRecord> records) {
      this(isDone, revision, cluster, mark, new Page(records, Optional.empty()));
    }

    /** The records that were asked for. */
    List<StoredRecord> records() {
      return page.records();
    }

    /** Which store answered. */
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
          : Optional.of(
              new ReasonText("it has records and no mark, as an older copy that was restored"));
    }
  }

  /** A call that etcd did not answer as asked. The message says why. */
  final class Failure extends RuntimeException {

    @Serial private static final long serialVersionUID = 1L;

    private final Fate fate;
    private final String remedy;

    /** The fate of a write. */
    enum Fate {
      /** The write was not made, and never will be. */
      REFUSED,
      /** The fate is not known. */
      UNKNOWN,
      /** Nothing was asked, as the store is closed. */
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

    /** Why, as a clause. */
    String because() {
      return Objects.requireNonNull(getMessage());
    }

    /** Returns the advice, without a full stop. */
    String remedy() {
      return remedy;
    }
  }
}
