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
 * @param <E> its result
 */
public sealed interface Step<E extends Event> {

  /**
   * A step that has ended when its method returns.
   *
   * @param <E> its result
   */
  sealed interface AtOnce<E extends Event> extends Step<E> {

    /** Performs this step. */
    E by(Performer performer);
  }

  /**
   * A step whose result arrives later.
   *
   * @param <E> its result
   */
  sealed interface Later<E extends Event> extends Step<E> {

    /** Starts this step; {@code then} receives the result. */
    void by(Performer performer, Consumer<E> then);
  }

  /**
   * Write a record.
   *
   * @param record the volume
   * @param need how durable it must be before the next step
   */
  record Save(VolumeRecord record, Need need) implements AtOnce<Event.Saved> {

    /** How durable a record must be before the next step. */
    public enum Need {
      /**
       * Synced, or refused. Used for an intent; without the record, a power loss would leave a
       * leak.
       */
      ON_THE_MEDIUM,
      /**
       * Written, or refused, and synced with the next record that needs a sync. Used for a step of
       * a mount, because no mount survives a power loss.
       */
      WRITTEN,
      /**
       * Written if the disk allows it, otherwise kept in memory. Used for a step of a release,
       * which a broken disk must not stop. Synced before the operation ends.
       */
      RELEASING
    }

    @Override
    public Event.Saved by(Performer performer) {
      return performer.save(this);
    }
  }

  /** Remove the record of a volume that was never mounted. */
  record Forget() implements AtOnce<Event.Saved> {
    @Override
    public Event.Saved by(Performer performer) {
      return performer.forget();
    }
  }

  /** Replace the record of a volume by a tombstone. */
  record Bury() implements AtOnce<Event.Saved> {
    @Override
    public Event.Saved by(Performer performer) {
      return performer.bury();
    }
  }

  /** Create the directories of the volume. */
  record PrepareVolume() implements AtOnce<Event.Arranged> {
    @Override
    public Event.Arranged by(Performer performer) {
      return performer.prepareVolume();
    }
  }

  /**
   * Create the parent directory of a target.
   *
   * @param usage the use of that target
   */
  record PrepareUse(VolumeUse usage) implements AtOnce<Event.Arranged> {
    @Override
    public Event.Arranged by(Performer performer) {
      return performer.prepareUse(usage);
    }
  }

  /**
   * Remove the directories of a target.
   *
   * @param usage the use of that target
   */
  record RemoveUse(VolumeUse usage) implements AtOnce<Event.Arranged> {
    @Override
    public Event.Arranged by(Performer performer) {
      return performer.removeUse(usage);
    }
  }

  /** Remove the directories of the volume. */
  record RemoveVolume() implements AtOnce<Event.Arranged> {
    @Override
    public Event.Arranged by(Performer performer) {
      return performer.removeVolume();
    }
  }

  /**
   * Read the mount table.
   *
   * @param usage the use whose target is read, in addition to the staging path
   * @param made whether to look also for anything at the target if nothing is mounted there
   */
  record Look(Optional<VolumeUse> usage, boolean made) implements AtOnce<Event.Looked> {

    /** Creates a step that reads only mounts. */
    Look(Optional<VolumeUse> usage) {
      this(usage, false);
    }

    @Override
    public Event.Looked by(Performer performer) {
      return performer.look(this);
    }
  }

  /**
   * Look for uses that are mounted although they are not on record.
   *
   * @param elsewhere whether to look also for mounts of the staged device by other programs
   */
  record LookAtUses(boolean elsewhere) implements AtOnce<Event.UsesSeen> {
    @Override
    public Event.UsesSeen by(Performer performer) {
      return performer.lookAtUses(this);
    }
  }

  /**
   * Unmount without the plugin.
   *
   * @param usage the use of the target; empty for the staging
   * @param dead the limit for unmounting a dead mount only; empty to unmount any mount
   */
  record Force(Optional<VolumeUse> usage, Optional<DeadUnmount> dead)
      implements AtOnce<Event.Forced> {
    @Override
    public Event.Forced by(Performer performer) {
      return performer.force(this);
    }
  }

  /**
   * Call the plugin.
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
   * Ask for the standing of a claim.
   *
   * @param usage the use under that claim
   * @param epoch its epoch
   */
  record Confirm(VolumeUse usage, long epoch) implements Later<Event.Confirmed> {
    @Override
    public void by(Performer performer, Consumer<Event.Confirmed> then) {
      performer.confirm(this, then);
    }
  }

  /**
   * Ask whether the volume exists.
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
   * Wait.
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
   * End the operation; there is no result event.
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

    /** Looks for uses that are not on record. */
    Event.UsesSeen lookAtUses(LookAtUses step);

    /** Unmounts without the plugin. */
    Event.Forced force(Force step);

    /** Calls the plugin. */
    void call(Call step, Consumer<Event.Called> then);

    /** Asks for the standing of a claim. */
    void confirm(Confirm step, Consumer<Event.Confirmed> then);

    /** Asks whether the volume exists. */
    void lookUp(LookUp step, Consumer<Event.LookedUp> then);

    /** Waits. */
    void pause(Pause step, Consumer<Event.Woke> then);
  }
}
