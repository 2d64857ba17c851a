package io.csi4j.volume.internal.record;

import io.csi4j.volume.node.PathStatus;
import java.util.Objects;
import java.util.Optional;

/**
 * The recorded state of a volume at one path.
 *
 * @param status the status
 * @param pending the call that the plugin may still be working on
 * @param evidence the appearance of the mount when the path became present
 */
public record PathRecord(
    PathStatus status, Optional<Pending> pending, Optional<Evidence> evidence) {

  /** The state of a path where nothing is mounted. */
  public static final PathRecord NONE =
      new PathRecord(PathStatus.NONE, Optional.empty(), Optional.empty());

  /**
   * Checks that all components are present and that the status is not {@code DEAD}, which is never
   * recorded.
   */
  public PathRecord {
    Objects.requireNonNull(status, "status");
    if (status == PathStatus.DEAD) {
      throw new IllegalArgumentException("A record must not say that a mount is dead.");
    }
    Objects.requireNonNull(pending, "pending");
    Objects.requireNonNull(evidence, "evidence");
  }

  /** Returns this state with another status. */
  public PathRecord as(PathStatus next) {
    return new PathRecord(next, pending, evidence);
  }

  /** Returns this state with the note that the plugin may be working on a call from now on. */
  public PathRecord working(Verb verb, String instance) {
    return new PathRecord(status, Optional.of(new Pending(verb, instance)), evidence);
  }

  /** Returns whether the plugin may still be working on this call. */
  public boolean awaits(Verb verb) {
    return pending.isPresent() && pending.get().verb() == verb;
  }

  /** Returns this state with the note that the plugin is not working on a call. */
  public PathRecord idle() {
    return new PathRecord(status, Optional.empty(), evidence);
  }

  /** Returns the state of a path where the volume is certainly mounted. */
  public static PathRecord present(Optional<Evidence> evidence) {
    return new PathRecord(PathStatus.PRESENT, Optional.empty(), evidence);
  }

  /** Returns whether the path has this status. */
  public boolean is(PathStatus other) {
    return status == other;
  }
}
