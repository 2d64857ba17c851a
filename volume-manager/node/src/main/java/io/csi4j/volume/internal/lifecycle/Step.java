package io.csi4j.volume.internal.lifecycle;

import io.csi4j.volume.internal.record.Verb;
import io.csi4j.volume.internal.record.VolumeRecord;
import io.csi4j.volume.model.MountPolicy.DeadUnmount;
import io.csi4j.volume.model.VolumeUse;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * One thing to do next.
 *
 * @param <E> its answer
 */
public sealed interface Step<E extends Event> {

  /**
   * A step that has ended when it returns.
   *
   * @param <E> its answer
   */
  sealed interface AtOnce<E extends Event> extends Step<E> {

    /** Has this step done. */
    E by(Performer performer);
  }

  /**
   * A step whose answer comes later.
   *
   * @param <E> its answer
   */
  sealed interface Later<E extends Event> extends Step<E> {

    /** Has this step begun; the answer goes to {@code then}. */
    void by(Performer performer, Consumer<E> then);
  }

  /**
   * Write a record.
   *
   * @param record the volume
   * @param need how safe it has to be before the next step
   */
  record Save(VolumeRecord record, Need need) implements AtOnce<Event.Saved> {

    /** How safe a record has to be before the next step. */
    public enum Need {
      /** On the medium, or refused: for an intent, without which a power cut would leave a leak. */
      ON_THE_MEDIUM,
      /**
       * Written, or refused, and on the medium with the next record that has to be: for a step on
       * the way of a mount, which means nothing after a power cut, as no mount survives one.
       */
      WRITTEN,
      /**
       * Written if the disk lets it, else remembered: for a step on the way of a release, which a
       * broken disk must not keep. It is on the medium before the operation ends.
       */
      RELEASING
    }

    @Override
    public Event.Saved by(Performer performer) {
      return performer.save(this);
    }
  }

  /** Remove the record of a volume of which nothing ever came about. */
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

  /** Make the directories of the volume. */
  record PrepareVolume() implements AtOnce<Event.Arranged> {
    @Override
    public Event.Arranged by(Performer performer) {
      return performer.prepareVolume();
    }
  }

  /**
   * Make the directory above a target.
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
   * @param usage the use whose target is looked at, beside the staging
   */
  record Look(Optional<VolumeUse> usage) implements AtOnce<Event.Looked> {
    @Override
    public Event.Looked by(Performer performer) {
      return performer.look(this);
    }
  }

  /**
   * Look for uses that are mounted although they are not on record.
   *
   * @param elsewhere whether to look for mounts of the staged device by other programs, too
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
   * @param usage the use whose target goes, or else the staging
   * @param dead how far to go where only a dead mount is unmounted; nothing to unmount all
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
   * @param usage the use, if the call is about a target
   */
  record Call(Verb verb, Optional<VolumeUse> usage) implements Later<Event.Called> {
    @Override
    public void by(Performer performer, Consumer<Event.Called> then) {
      performer.call(this, then);
    }
  }

  /**
   * Ask what a claim is worth.
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
   * @param usage the use of it that is claimed
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
   * @param time how long
   */
  record Pause(Duration time) implements Later<Event.Woke> {
    @Override
    public void by(Performer performer, Consumer<Event.Woke> then) {
      performer.pause(this, then);
    }
  }

  /**
   * Nothing more: the operation has ended, and nothing answers.
   *
   * @param result how it ended
   */
  record End(Result result) implements Step<Event> {}

  /** Does the steps of one operation. */
  interface Performer {

    /** Writes a record. */
    Event.Saved save(Save step);

    /** Removes the record of the volume. */
    Event.Saved forget();

    /** Replaces the record of the volume by a tombstone. */
    Event.Saved bury();

    /** Makes the directories of the volume. */
    Event.Arranged prepareVolume();

    /** Makes the directory above a target. */
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

    /** Asks what a claim is worth. */
    void confirm(Confirm step, Consumer<Event.Confirmed> then);

    /** Asks whether the volume exists. */
    void lookUp(LookUp step, Consumer<Event.LookedUp> then);

    /** Waits. */
    void pause(Pause step, Consumer<Event.Woke> then);
  }
}
