package io.csi4j.volume.internal.record;

import io.csi4j.volume.node.PathStatus;
import java.util.Objects;
import java.util.Optional;

/**
 * How far a volume is at one path.
 *
 * @param status how far
 * @param pending the call that the plugin may still be working on
 * @param evidence the mount that was seen there when it became present
 */
public record PathRecord(
    PathStatus status, Optional<Pending> pending, Optional<Evidence> evidence) {

  /** Nothing is there. */
  public static final PathRecord NONE =
      new PathRecord(PathStatus.NONE, Optional.empty(), Optional.empty());

  /** Checks that all parts are there; whether a mount is dead is never on record. */
  public PathRecord {
    Objects.requireNonNull(status, "status");
    if (status == PathStatus.DEAD) {
      throw new IllegalArgumentException("Whether a mount is dead is not kept on record.");
    }
    Objects.requireNonNull(pending, "pending");
    Objects.requireNonNull(evidence, "evidence");
  }

  /** Returns the path with another status. */
  public PathRecord as(PathStatus next) {
    return new PathRecord(next, pending, evidence);
  }

  /** Returns the path with a call that the plugin may be working on from now on. */
  public PathRecord working(Verb verb, String instance) {
    return new PathRecord(status, Optional.of(new Pending(verb, instance)), evidence);
  }

  /** Whether the plugin may still be working on this call. */
  public boolean awaits(Verb verb) {
    return pending.isPresent() && pending.get().verb() == verb;
  }

  /** Returns the path with no call that the plugin may be working on. */
  public PathRecord idle() {
    return new PathRecord(status, Optional.empty(), evidence);
  }

  /** There for certain, and what it looks like. */
  public static PathRecord present(Optional<Evidence> evidence) {
    return new PathRecord(PathStatus.PRESENT, Optional.empty(), evidence);
  }

  /** Whether this is the status. */
  public boolean is(PathStatus other) {
    return status == other;
  }
}
