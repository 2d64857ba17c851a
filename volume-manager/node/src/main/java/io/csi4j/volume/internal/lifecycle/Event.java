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

/** The answer to a {@link Step}. */
public sealed interface Event {

  /**
   * The record is written, or not.
   *
   * @param problem why not
   */
  record Saved(Optional<StateException> problem) implements Event {}

  /**
   * The directories are made or removed, or not.
   *
   * @param problem why not
   * @param isMounted whether a directory was left because something is mounted there
   */
  record Arranged(Optional<PathProblem> problem, boolean isMounted) implements Event {

    /** Nothing mounted was in the way. */
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
   * @param record the volume, with the unexpected uses as ones that must go
   * @param elsewhere the mounts of the staged device that other programs have made, if they were
   *     looked for
   */
  record UsesSeen(VolumeRecord record, List<Sighting> elsewhere) implements Event {

    /** No other program has mounted the device. */
    public UsesSeen(VolumeRecord record) {
      this(record, List.of());
    }
  }

  /** The end of a call to the plugin. */
  sealed interface Called extends Event {

    /** Returns what follows: from the answer, or from why the call was not sent. */
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
   * The call was not sent: another thing than the one that we made is at the path to release.
   *
   * @param problem what is there
   */
  record Withheld(PathProblem problem) implements Called {
    @Override
    public <T> T either(Function<Answer, T> answered, Function<PathProblem, T> withheld) {
      return withheld.apply(problem);
    }
  }

  /**
   * The mount is gone, without the plugin.
   *
   * @param lazily whether a process may still use it
   */
  record Forced(boolean lazily) implements Event {}

  /**
   * The keeper of claims was asked, or could not be.
   *
   * @param standing what the claim is worth
   * @param recordSuffices whether an earlier confirmation is good enough while the keeper cannot be
   *     asked
   */
  record Confirmed(ClaimStanding standing, boolean recordSuffices) implements Event {

    /** Returns the standing of a claim, as a clause. */
    public static String words(ClaimStanding standing, long epoch) {
      String claim = "its claim has epoch " + epoch;
      if (standing instanceof ClaimStanding.Stale stale) {
        return claim
            + (stale.epoch() > epoch
                ? ", and the volume's is " + stale.epoch() + " by now"
                : ", and was given back or taken on since");
      } else if (standing instanceof ClaimStanding.Leaving) {
        return claim + ", and is on its way back";
      } else if (standing instanceof ClaimStanding.Missing) {
        return claim + ", and the store knows nothing of it";
      } else if (standing instanceof ClaimStanding.Unknown unknown) {
        return claim + ", and nobody confirms it: " + unknown.because().text();
      }
      return claim + ", and is current";
    }
  }

  /**
   * The control plane was asked whether the volume exists, or could not be.
   *
   * @param verdict the answer
   */
  record LookedUp(VolumeVerdict verdict) implements Event {}

  /** The pause is over. */
  record Woke() implements Event {}
}
