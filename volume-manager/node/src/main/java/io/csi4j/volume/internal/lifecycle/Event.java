package io.csi4j.volume.internal.lifecycle;

import io.csi4j.volume.internal.lifecycle.Turn.Notice;
import io.csi4j.volume.internal.link.Answer;
import io.csi4j.volume.internal.path.PathProblem;
import io.csi4j.volume.internal.port.Sighting;
import io.csi4j.volume.internal.record.VolumeRecord;
import io.csi4j.volume.model.ClaimStanding;
import io.csi4j.volume.model.VolumeVerdict;
import io.csi4j.volume.state.StateException;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** The result of a {@link Step}. */
public sealed interface Event {

  /**
   * The record was written, or could not be.
   *
   * @param problem the reason why it could not be written
   */
  record Saved(Optional<StateException> problem) implements Event {}

  /**
   * The directories were created or removed, or could not be.
   *
   * @param problem the reason why they could not be
   * @param isMounted whether a directory was left because something is mounted there
   */
  record Arranged(Optional<PathProblem> problem, boolean isMounted) implements Event {

    /** Creates a result for directories without a mount. */
    public Arranged(Optional<PathProblem> problem) {
      this(problem, false);
    }
  }

  /**
   * The mount table was read.
   *
   * @param staging the mounts at the staging path, the one on top last
   * @param target the mounts at the target, the one on top last
   * @param device whether the target is a block device node
   * @param made whether the target exists, mounted or not, and is not a link; without a mount, only
   *     if the step looked for it
   * @param objection why the mount at the target cannot belong to the volume, if it cannot
   * @param remark a remark about the mount for people, if there is one
   */
  record Looked(
      List<Sighting> staging,
      List<Sighting> target,
      boolean device,
      boolean made,
      Optional<Failure> objection,
      Optional<Notice> remark)
      implements Event {

    /** Creates a result without objection and remark. */
    public Looked(List<Sighting> staging, List<Sighting> target, boolean device, boolean made) {
      this(staging, target, device, made, Optional.empty(), Optional.empty());
    }
  }

  /**
   * The result of a search for mounted uses that are not on record.
   *
   * @param record the volume, with the unexpected uses as uses to release
   * @param elsewhere the mounts of the staged device by other programs, if the step looked for them
   */
  record UsesSeen(VolumeRecord record, List<Sighting> elsewhere) implements Event {

    /** Creates a result without mounts by other programs. */
    public UsesSeen(VolumeRecord record) {
      this(record, List.of());
    }
  }

  /** The result of a call to the plugin. */
  sealed interface Called extends Event {

    /** Returns the value for the answer, or for the reason why the call was not sent. */
    <T> T either(Function<Answer, T> answered, Function<PathProblem, T> withheld);
  }

  /**
   * The plugin answered, or the call failed on its way.
   *
   * @param answer the answer or the failure
   */
  record Answered(Answer answer) implements Called {
    @Override
    public <T> T either(Function<Answer, T> answered, Function<PathProblem, T> withheld) {
      return answered.apply(answer);
    }
  }

  /**
   * The call was not sent: the path to release is not the one that the manager created.
   *
   * @param problem what is at the path
   */
  record Withheld(PathProblem problem) implements Called {
    @Override
    public <T> T either(Function<Answer, T> answered, Function<PathProblem, T> withheld) {
      return withheld.apply(problem);
    }
  }

  /**
   * The mount was removed without the plugin.
   *
   * @param lazily whether a process may still use the mount
   */
  record Forced(boolean lazily) implements Event {}

  /**
   * The standing of a claim was requested.
   *
   * @param standing the standing of the claim; unknown if there was no answer
   * @param recordSuffices whether an earlier confirmation suffices while the claims cannot be
   *     confirmed
   */
  record Confirmed(ClaimStanding standing, boolean recordSuffices) implements Event {

    /** Returns the standing of a claim, as a clause. */
    public static String words(ClaimStanding standing, long epoch) {
      String claim = "its claim has epoch " + epoch;
      if (standing instanceof ClaimStanding.Stale stale) {
        return claim
            + (stale.epoch() > epoch
                ? ", and the volume's is " + stale.epoch() + " by now"
                : ", but was released or taken over since");
      } else if (standing instanceof ClaimStanding.Leaving) {
        return claim + ", and is being released";
      } else if (standing instanceof ClaimStanding.Missing) {
        return claim + ", but the store has no record of it";
      } else if (standing instanceof ClaimStanding.Unknown unknown) {
        return claim + ", but it cannot be confirmed: " + unknown.because().text();
      }
      return claim + ", and is current";
    }
  }

  /**
   * The control plane was asked whether the volume exists.
   *
   * @param verdict the answer; unknown if there was none
   */
  record LookedUp(VolumeVerdict verdict) implements Event {}

  /** The pause is over. */
  record Woke() implements Event {}
}
