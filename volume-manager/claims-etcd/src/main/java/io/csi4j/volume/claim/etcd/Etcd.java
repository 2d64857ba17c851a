package io.csi4j.volume.claim.etcd;

import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.spi.ClaimPage;
import io.csi4j.volume.claim.spi.ClaimVersion;
import io.csi4j.volume.claim.spi.ClaimWatch.Change;
import io.csi4j.volume.store.StoreIdentity;
import io.csi4j.volume.claim.spi.Versioned;
import io.csi4j.volume.claim.spi.WriteToken;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeKey;
import java.io.Serial;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The questions of the store to etcd. Every answer is linearizable and comes within the deadline,
 * or an {@link Failure} does. A call that may have been done is never tried again.
 */
interface Etcd extends AutoCloseable {

  /** Only the mark of the store. */
  Answer look();

  /** The claim of a volume. */
  Answer read(VolumeKey volume);

  /**
   * Claims in the order of their volumes: those behind one, and no more than this. One that cannot
   * be read is on the page as such; it fails every other question that meets it.
   */
  Answer scan(Optional<VolumeKey> after, int limit);

  /** Makes the mark of the store, if it has none. */
  Answer mark(StoreIdentity mark);

  /**
   * Writes a claim if its version is the expected one and the mark of the store is this one. If
   * not, the answer has the claim that is there.
   */
  Answer write(StoreIdentity mark, ClaimVersion expected, Claim next, WriteToken token);

  /** Whether equal claims have equal bytes in it; when they are sealed they have not. */
  default boolean comparesBytes() {
    return true;
  }

  /**
   * Writes a claim if the claim that is there is byte for byte the one that was seen, in that
   * version, and the mark of the store is this one. If not, the answer has the claim that is there.
   */
  Answer replace(StoreIdentity mark, Versioned seen, Claim next, WriteToken token);

  /**
   * Tells what is written from a revision on, until it is ended or tells that it has ended.
   *
   * @return ends it
   */
  Runnable follow(long from, Follower follower);

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
   * @param page the claims that were asked for, of those that were ever written
   */
  record Answer(
      boolean isDone, long revision, long cluster, Optional<StoreIdentity> mark, ClaimPage page) {

    /** Checks that the parts are there. */
    public Answer {
      Objects.requireNonNull(mark, "mark");
      Objects.requireNonNull(page, "page");
    }

    /** An answer with all claims that were asked for. */
    Answer(
        boolean isDone,
        long revision,
        long cluster,
        Optional<StoreIdentity> mark,
        List<Versioned> claims) {
      this(isDone, revision, cluster, mark, new ClaimPage(claims, List.of(), Optional.empty()));
    }

    /** The claims that were asked for, and can be read. */
    List<Versioned> claims() {
      return page.claims();
    }

    /** Which store answered. */
    StoreIdentity identity() {
      return new StoreIdentity(
          "etcd-"
              + Long.toHexString(cluster)
              + mark.map(text -> "-" + text).orElse(", without the mark of a store"));
    }

    /** Returns why the store that answered may have lost claims: it was opened before. */
    Optional<ReasonText> problem() {
      return mark.isPresent()
          ? Optional.empty()
          : Optional.of(
              new ReasonText("it has claims and no mark, as an older copy that was restored"));
    }

    /** Whether no claim was ever written behind those that were asked for. */
    boolean isEmpty() {
      return page.claims().isEmpty() && page.unreadable().isEmpty();
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
