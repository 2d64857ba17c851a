package io.csi4j.volume.internal.lifecycle;

import io.csi4j.volume.internal.port.CrashPoint;
import io.csi4j.volume.internal.record.Verb;
import io.csi4j.volume.internal.record.VolumeRecord;
import io.csi4j.volume.model.DeadUnmount;
import io.csi4j.volume.model.UsageKey;
import io.csi4j.volume.state.Durability;
import java.time.Duration;
import java.util.Optional;

/** One thing that is to be done next; its end is an {@link Event}. */
public sealed interface Step {

  /**
   * Remember this; ends in {@link Event.Saved}.
   *
   * @param record what
   * @param durability whether it has to be durable
   * @param point the moment after it
   */
  record Save(VolumeRecord record, Durability durability, CrashPoint point) implements Step {}

  /** Forget the volume: nothing of it ever came about. Ends in {@link Event.Saved}. */
  record Forget() implements Step {}

  /** Forget the volume, and remember that it was there. Ends in {@link Event.Saved}. */
  record Bury() implements Step {}

  /** Make the directories of the volume; ends in {@link Event.Arranged}. */
  record PrepareVolume() implements Step {}

  /**
   * Make the directory above a target; ends in {@link Event.Arranged}.
   *
   * @param usage whose
   */
  record PrepareUse(UsageKey usage) implements Step {}

  /**
   * Remove what is left of a target; ends in {@link Event.Arranged}.
   *
   * @param usage whose
   */
  record RemoveUse(UsageKey usage) implements Step {}

  /** Remove the directories of the volume; ends in {@link Event.Arranged}. */
  record RemoveVolume() implements Step {}

  /**
   * Look at what is mounted; ends in {@link Event.Looked}.
   *
   * @param usage whose target to look at, beside the staging
   * @param refusal what the plugin said, which the mount table is to confirm, if it said anything
   */
  record Look(Optional<UsageKey> usage, Optional<Failure> refusal) implements Step {

    Look(Optional<UsageKey> usage) {
      this(usage, Optional.empty());
    }
  }

  /** Look for uses that came although nobody asked for them; ends in {@link Event.UsesSeen}. */
  record LookAtUses() implements Step {}

  /**
   * Unmount without the plugin; ends in {@link Event.Forced}.
   *
   * @param usage whose target, or else the staging
   * @param dead how far to go where only what is dead is unmounted; nothing to unmount all
   */
  record Force(Optional<UsageKey> usage, Optional<DeadUnmount> dead) implements Step {}

  /**
   * Call the plugin; ends in {@link Event.Answered}, or in {@link Event.Arranged} with a problem if
   * it is not sent, because something else is at a path that is to be released.
   *
   * @param verb what for
   * @param usage for whom, if it is about a target
   */
  record Call(Verb verb, Optional<UsageKey> usage) implements Step {}

  /**
   * Ask what a claim is worth; ends in {@link Event.Confirmed}.
   *
   * @param usage whose claim
   * @param epoch its epoch
   */
  record Confirm(UsageKey usage, long epoch) implements Step {}

  /**
   * Wait; ends in {@link Event.Woke}.
   *
   * @param time how long
   */
  record Pause(Duration time) implements Step {}

  /**
   * Nothing more.
   *
   * @param result how it ended
   */
  record End(Result result) implements Step {}
}
