package io.csi4j.volume.internal.lifecycle;

import io.csi4j.volume.internal.link.Answer;
import io.csi4j.volume.internal.path.PathProblem;
import io.csi4j.volume.internal.port.Sighting;
import io.csi4j.volume.internal.record.VolumeRecord;
import io.csi4j.volume.model.ClaimStanding;
import io.csi4j.volume.state.StateException;
import java.util.List;
import java.util.Optional;

/** How a {@link Step} ended. */
public sealed interface Event {

  /**
   * It is remembered, or not.
   *
   * @param problem why not
   */
  record Saved(Optional<StateException> problem) implements Event {}

  /**
   * Directories are as they are to be, or not.
   *
   * @param problem why not
   * @param isMounted whether what was to be removed was left, as something is mounted there
   */
  record Arranged(Optional<PathProblem> problem, boolean isMounted) implements Event {

    /** Nothing is mounted there that is in the way. */
    public Arranged(Optional<PathProblem> problem) {
      this(problem, false);
    }
  }

  /**
   * This is mounted.
   *
   * @param staging at the staging path, the one on top last
   * @param target at the target, the one on top last
   * @param device whether the target is a block device node
   * @param made whether there is anything at the target, mounted or not, that is no link
   * @param objection why what is at the target cannot be the volume's, if it cannot
   * @param remark what people want to know of it, if anything
   */
  record Looked(
      List<Sighting> staging,
      List<Sighting> target,
      boolean device,
      boolean made,
      Optional<Failure> objection,
      Optional<Notice> remark)
      implements Event {

    /** There is nothing to be said of what is at the target. */
    public Looked(List<Sighting> staging, List<Sighting> target, boolean device, boolean made) {
      this(staging, target, device, made, Optional.empty(), Optional.empty());
    }
  }

  /**
   * The uses that are mounted are those on record, or more.
   *
   * @param record the volume, with those that nobody expected as ones that are to go
   */
  record UsesSeen(VolumeRecord record) implements Event {}

  /**
   * The plugin answered, or nobody did.
   *
   * @param answer what
   */
  record Answered(Answer answer) implements Event {}

  /**
   * What was mounted is gone, without the plugin.
   *
   * @param lazily whether somebody may still use it
   */
  record Forced(boolean lazily) implements Event {}

  /**
   * Whoever keeps claims was asked, or could not be.
   *
   * @param standing what the claim is worth
   * @param recordSuffices whether one that was confirmed before is good enough while nobody can be
   *     asked
   */
  record Confirmed(ClaimStanding standing, boolean recordSuffices) implements Event {}

  /** The time is over. */
  record Woke() implements Event {}

  /**
   * The step ended in a way that it should not; whether it had an effect is not known.
   *
   * @param cause what was thrown
   */
  record Broke(Throwable cause) implements Event {}
}
