package io.csi4j.volume.internal.lifecycle;

import io.csi4j.volume.internal.record.Verb;
import io.csi4j.volume.internal.record.VolumeRecord;
import io.csi4j.volume.model.MountPolicy.DeadUnmount;
import io.csi4j.volume.model.VolumeUse;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The next step of an operation.
 *
 * @param <E> the type of the step's result
 */
public sealed interface Step<E extends Event> {

  /**
   * A step that is complete when its method returns.
   *
   * @param <E> the type of the step's result
   */
  sealed interface AtOnce<E extends Event> extends Step<E> {

    /** Performs this step. */
    E by(Performer performer);
  }

  /**
   * A step whose result arrives later.
   *
   * @param <E> the type of the step's result
   */
  sealed interface Later<E extends Event> extends Step<E> {

    /** Starts this step; {@code then} receives the result. */
    void by(Performer performer, Consumer<E> then);
  }

  /**
   * A step that writes a record.
   *
   * @param record the record of the volume
   * @param need how durable the record must be before the next step
   */
  record Save(VolumeRecord record, Need need) implements AtOnce<Event.Saved> {

    /** How durable a record must be before the next step. */
    public enum Need {
      /**
       * The record must be synced; otherwise the step fails. Used for an intent: without its
       * record, a power loss would leave resources that no record lists.
       */
      ON_THE_MEDIUM,
      /**
       * The record must be written, and is synced together with the next record that needs a sync.
       * If it cannot be written, the step fails. Used for a step of a mount, because no mount
       * survives a power loss.
       */
      WRITTEN,
      /**
       * The record is written if the disk allows it, and otherwise kept in memory. It is synced
       * before the operation ends. Used for a step of a release, which a broken disk must not stop.
       */
      RELEASING
    }

    @Override
    public Event.Saved by(Performer performer) {
      return performer.save(this);
    }
  }

  /** A step that removes the record of a volume for which the plugin was never called. */
  record Forget() implements AtOnce<Event.Saved> {
    @Override
    public Event.Saved by(Performer performer) {
      return performer.forget();
    }
  }

  /** A step that replaces the record of a volume by a tombstone. */
  record Bury() implements AtOnce<Event.Saved> {
    @Override
    public Event.Saved by(Performer performer) {
      return performer.bury();
    }
  }

  /** A step that creates the directories of the volume. */
  record PrepareVolume() implements AtOnce<Event.Arranged> {
    @Override
    public Event.Arranged by(Performer performer) {
      return performer.prepareVolume();
    }
  }

  /**
   * A step that creates the parent directory of a target.
   *
   * @param usage the use that the target belongs to
   */
  record PrepareUse(VolumeUse usage) implements AtOnce<Event.Arranged> {
    @Override
    public Event.Arranged by(Performer performer) {
      return performer.prepareUse(usage);
    }
  }

  /**
   * A step that removes the directories of a target.
   *
   * @param usage the use that the target belongs to
   */
  record RemoveUse(VolumeUse usage) implements AtOnce<Event.Arranged> {
    @Override
    public Event.Arranged by(Performer performer) {
      return performer.removeUse(usage);
    }
  }

  /** A step that removes the directories of the volume. */
  record RemoveVolume() implements AtOnce<Event.Arranged> {
    @Override
    public Event.Arranged by(Performer performer) {
      return performer.removeVolume();
    }
  }

  /**
   * A step that reads the mounts at the paths of the volume.
   *
   * @param usage the use whose target is read, in addition to the staging path
   * @param made whether to check also that the target exists, if nothing is mounted at it
   */
  record Look(Optional<VolumeUse> usage, boolean made) implements AtOnce<Event.Looked> {

    /** Creates a step that reads only the mounts. */
    Look(Optional<VolumeUse> usage) {
      this(usage, false);
    }

    @Override
    public Event.Looked by(Performer performer) {
      return performer.look(this);
    }
  }

  /**
   * A step that searches for mounted uses that are not on record.
   *
   * @param elsewhere whether to search also for mounts of the staged device that other programs
   *     have made
   */
  record LookAtUses(boolean elsewhere) implements AtOnce<Event.UsesSeen> {
    @Override
    public Event.UsesSeen by(Performer performer) {
      return performer.lookAtUses(this);
    }
  }

  /**
   * A step that unmounts a path without the plugin.
   *
   * @param usage the use of the target; empty for the staging
   * @param dead the policy for unmounting, if only a dead mount may be unmounted; empty to unmount
   *     any mount
   */
  record Force(Optional<VolumeUse> usage, Optional<DeadUnmount> dead)
      implements AtOnce<Event.Forced> {
    @Override
    public Event.Forced by(Performer performer) {
      return performer.force(this);
    }
  }

  /**
   * A step that calls the plugin.
   *
   * @param verb the call
   * @param usage the use, if the call concerns a target
   */
  record Call(Verb verb, Optional<VolumeUse> usage) implements Later<Event.Called> {
    @Override
    public void by(Performer performer, Consumer<Event.Called> then) {
      performer.call(this, then);
    }
  }

  /**
   * A step that queries the standing of a claim.
   *
   * @param usage the use that the claim is for
   * @param epoch the epoch of the claim
   */
  record Confirm(VolumeUse usage, long epoch) implements Later<Event.Confirmed> {
    @Override
    public void by(Performer performer, Consumer<Event.Confirmed> then) {
      performer.confirm(this, then);
    }
  }

  /**
   * A step that checks with the control plane whether the volume exists.
   *
   * @param usage the claimed use of the volume
   * @param epoch the epoch of the claim
   */
  record LookUp(VolumeUse usage, long epoch) implements Later<Event.LookedUp> {
    @Override
    public void by(Performer performer, Consumer<Event.LookedUp> then) {
      performer.lookUp(this, then);
    }
  }

  /**
   * A step that waits before the next attempt.
   *
   * @param time the duration
   */
  record Pause(Duration time) implements Later<Event.Woke> {
    @Override
    public void by(Performer performer, Consumer<Event.Woke> then) {
      performer.pause(this, then);
    }
  }

  /**
   * A step that ends the operation. This step has no result.
   *
   * @param result the result of the operation
   */
  record End(Result result) implements Step<Event> {}

  /** Performs the steps of one operation. */
  interface Performer {

    /** Writes a record. */
    Event.Saved save(Save step);

    /** Removes the record of the volume. */
    Event.Saved forget();

    /** Replaces the record of the volume by a tombstone. */
    Event.Saved bury();

    /** Creates the directories of the volume. */
    Event.Arranged prepareVolume();

    /** Creates the parent directory of a target. */
    Event.Arranged prepareUse(VolumeUse usage);

    /** Removes the directories of a target. */
    Event.Arranged removeUse(VolumeUse usage);

    /** Removes the directories of the volume. */
    Event.Arranged removeVolume();

    /** Reads the mount table. */
    Event.Looked look(Look step);

    /** Searches for mounted uses that are not on record. */
    Event.UsesSeen lookAtUses(LookAtUses step);

    /** Unmounts a path without the plugin. */
    Event.Forced force(Force step);

    /** Calls the plugin. */
    void call(Call step, Consumer<Event.Called> then);

    /** Queries the standing of a claim. */
    void confirm(Confirm step, Consumer<Event.Confirmed> then);

    /** Checks with the control plane whether the volume exists. */
    void lookUp(LookUp step, Consumer<Event.LookedUp> then);

    /** Waits for the time of a pause. */
    void pause(Pause step, Consumer<Event.Woke> then);
  }
}
