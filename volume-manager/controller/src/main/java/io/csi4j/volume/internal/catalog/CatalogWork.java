package io.csi4j.volume.internal.catalog;

import java.util.Objects;

/**
 * Work on a volume, or on one of its snapshots, that a control plane has begun and has not ended.
 *
 * @param part the part of the volume that is worked on; {@link #VOLUME} for the volume itself
 * @param kind the kind of the work
 * @param owner the session of the control plane that does the work
 * @param epoch the epoch of this work, which is higher than that of all earlier work on the volume
 */
public record CatalogWork(String part, Kind kind, Owner owner, long epoch) {

  /** The volume itself. */
  public static final String VOLUME = "";

  /** The kinds of work that other control planes must distinguish. */
  public enum Kind {
    /** The volume is being created, expanded or modified, or its deletion is under way. */
    CHANGE,
    /**
     * The volume is about to be deleted: it can be seen and claimed as before until its claims are
     * held. If the owner ends before that, the deletion continues.
     */
    DELETION,
    /** The record of the volume is about to be removed: the volume is no longer attached. */
    DEREGISTRATION,
    /** A snapshot is being created or dropped. */
    SNAPSHOT,
    /**
     * The volume is being adopted, unless another record has it. Until that is decided, and also if
     * the owner ends before, the volume does not count as recorded: its record only blocks other
     * work.
     */
    ADOPTION
  }

  /**
   * The session of a control plane.
   *
   * @param session the unique id of the session
   * @param controlPlane the name of the control plane, for people
   */
  public record Owner(String session, String controlPlane) {

    /** Checks that both parts are set. */
    public Owner {
      if (session.isEmpty() || controlPlane.isEmpty()) {
        throw new IllegalArgumentException("A session needs an id, and a control plane a name.");
      }
    }
  }

  /** Checks that the parts are set. */
  public CatalogWork {
    Objects.requireNonNull(part, "part");
    Objects.requireNonNull(kind, "kind");
    Objects.requireNonNull(owner, "owner");
    if (epoch < 1) {
      throw new IllegalArgumentException("The epoch of work is at least 1, not " + epoch + ".");
    }
  }
}
