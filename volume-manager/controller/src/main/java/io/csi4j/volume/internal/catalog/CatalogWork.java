package io.csi4j.volume.internal.catalog;

import java.util.Objects;

/**
 * Work on a volume, or on one of its snapshots, that a control plane has begun and has not ended.
 *
 * @param part the part of the volume that is worked on; {@link #VOLUME} for the volume itself
 * @param kind the kind of the work
 * @param owner the session of the control plane that does it
 * @param epoch the number of this work: higher than that of all work on the volume before
 */
public record CatalogWork(String part, Kind kind, Owner owner, long epoch) {

  /** The volume itself. */
  public static final String VOLUME = "";

  /** The kinds of work that others have to know apart. */
  public enum Kind {
    /** The volume is created, grown, modified, or its deletion goes on. */
    CHANGE,
    /**
     * The volume is about to be deleted: it is shown and claimed as it was until its claims are
     * held. If the owner ends before that, the deletion goes on.
     */
    DELETION,
    /** The volume is about to be forgotten: it is not attached any more. */
    DEREGISTRATION,
    /** A snapshot is cut, or dropped. */
    SNAPSHOT,
    /**
     * The volume is adopted, unless another record has it. Until that is known, and also if the
     * owner ends before, the volume is not on record: its record only stops others.
     */
    ADOPTION
  }

  /**
   * The session of a control plane.
   *
   * @param session the id of the session, which no other session has
   * @param controlPlane the name of the control plane, for people
   */
  public record Owner(String session, String controlPlane) {

    /** Checks that both parts are set. */
    public Owner {
      if (session.isEmpty() || controlPlane.isEmpty()) {
        throw new IllegalArgumentException("A session has an id, and a control plane a name.");
      }
    }
  }

  /** Checks that the parts are there. */
  public CatalogWork {
    Objects.requireNonNull(part, "part");
    Objects.requireNonNull(kind, "kind");
    Objects.requireNonNull(owner, "owner");
    if (epoch < 1) {
      throw new IllegalArgumentException("The epoch of work is at least 1, not " + epoch + ".");
    }
  }
}
