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
   * The result of writing or removing a record.
   *
   * @param problem the reason why the record could not be written or removed; empty on success
   */
  record Saved(Optional<StateException> problem) implements Event {}

  /**
   * The result of creating or removing directories.
   *
   * @param problem the reason why the directories could not be created or removed; empty on success
   * @param isMounted whether a directory was not removed because something is mounted in it
   */
  record Arranged(Optional<PathProblem> problem, boolean isMounted) implements Event {

    /** Creates a result that reports no mount. */
    public Arranged(Optional<PathProblem> problem) {
      this(problem, false);
    }
  }

  /**
   * The mounts that a step has read from the mount table.
   *
   * @param staging the mounts at the staging path, the topmost mount last
   * @param target the mounts at the target, the topmost mount last
   * @param device whether the target is a block device node
   * @param made whether the target exists and is not a symbolic link. If nothing is mounted at the
   *     target, this is true only if the step also checked whether the target exists
   * @param objection why the mount at the target cannot belong to the volume; empty if it may
   *     belong to the volume
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

    /** Creates a result without an objection or a remark. */
    public Looked(List<Sighting> staging, List<Sighting> target, boolean device, boolean made) {
      this(staging, target, device, made, Optional.empty(), Optional.empty());
    }
  }

  /**
   * The result of a search for mounted uses that are not on record.
   *
   * @param record the record of the volume, extended by the unrecorded uses, which must be released
   * @param elsewhere the mounts of the staged device that other programs have made, if the step
   *     searched for them
   */
  record UsesSeen(VolumeRecord record, List<Sighting> elsewhere) implements Event {

    /** Creates a result without mounts by other programs. */
    public UsesSeen(VolumeRecord record) {
      this(record, List.of());
    }
  }

  /** The result of a call to the plugin. */
  sealed interface Called extends Event {

    /**
     * Applies the first function to the answer, or the second function to the reason why the call
     * was not sent.
     */
    <T> T either(Function<Answer, T> answered, Function<PathProblem, T> withheld);
  }

  /**
   * The answer of the plugin, or the failure of the call.
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
   * The call was not sent, because the path to release is no longer the one that the manager
   * created.
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
   * The manager has removed the mount without the plugin.
   *
   * @param lazily whether the mount was detached although a process may still be using it
   */
  record Forced(boolean lazily) implements Event {}

  /**
   * The answer to a query for the standing of a claim.
   *
   * @param standing the standing of the claim; unknown if no answer arrived
   * @param recordSuffices whether an earlier confirmation on record suffices while the claim cannot
   *     be confirmed
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
   * The control plane's answer about whether the volume exists.
   *
   * @param verdict the answer; unknown if no answer arrived
   */
  record LookedUp(VolumeVerdict verdict) implements Event {}

  /** The pause is over. */
  record Woke() implements Event {}
}
