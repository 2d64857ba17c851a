package io.csi4j.volume.controller;

import io.csi4j.client.model.CsiAnswerException;
import io.csi4j.client.model.VolumeId;
import io.csi4j.volume.catalog.CatalogEntry;
import io.csi4j.volume.catalog.CatalogEntry.State;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimOverride;
import io.csi4j.volume.internal.catalog.CatalogWork.Kind;
import io.csi4j.volume.internal.store.RecordBook.Part;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.CatalogVolume;
import io.csi4j.volume.model.ChangeOutcome;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.model.VolumeKey;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Removes volumes: deletes them, or removes only their records and leaves the volumes. The intent
 * is recorded until the volume is gone.
 */
final class VolumeDeletion {

  private final Catalog catalog;
  private final Controllers controllers;
  private final ControllerCalls calls;
  private final VolumeModification changes;
  private final VolumeClaims claims;
  private final DeletionHold hold;
  private final Consumer<OperatorMessage> told;

  VolumeDeletion(
      Catalog catalog,
      Controllers controllers,
      ControllerCalls calls,
      VolumeModification changes,
      VolumeClaims claims,
      VolumeController.Builder options) {
    this.catalog = catalog;
    this.controllers = controllers;
    this.calls = calls;
    this.changes = changes;
    this.claims = claims;
    this.hold = options.hold();
    this.told = options.told;
  }

  // ---- deregistration

  /**
   * Removes the record of a volume without holders; the volume stays in the storage system.
   *
   * @return whether it had a record
   */
  boolean deregister(VolumeKey key) {
    Subject subject = Subject.of("deregistering volume '" + key + "'");
    return catalog.work(
        subject,
        key,
        work -> {
          work.entry().ifPresent(known -> deregister(subject, work, known));
          return work.wasThere();
        });
  }

  private void deregister(Subject subject, VolumeWork work, CatalogEntry known) {
    claims.refuseHeld(subject, known.key());
    // Another control plane may have begun to hold the claims for its deletion; that hold is ended
    // once this work owns the volume. No snapshot of the volume can begin from here on.
    work.intend(subject, Kind.DEREGISTRATION, known);
    try {
      forget(subject, work, known);
    } catch (ControllerException kept) {
      putBack(subject, kept, () -> work.end(subject, known));
      throw kept;
    }
    changes.unsee(known.key());
  }

  private void forget(Subject subject, VolumeWork work, CatalogEntry known) {
    VolumeKey key = known.key();
    boolean isGoing = known.state() instanceof State.Deleting;
    if (hold.isTogether()) {
      work.removeUncut(subject, isGoing ? hold.endingLeft(key) : hold.unclaimed(key));
      return;
    }
    if (isGoing) {
      hold.endLeft(subject, key);
    }
    // The volume can no longer be attached: a claim that was written earlier is found here, and the
    // coordinator of a later claim finds no volume.
    claims.refuseHeld(subject, key);
    work.removeUncut(subject);
  }

  /** Removes the record of a volume regardless of its holders, as a person decided. */
  boolean forget(VolumeKey key, ClaimOverride.Person by, ReasonText reason) {
    Subject subject = Subject.of("deregistering volume '" + key + "'");
    return catalog.work(
        subject,
        key,
        work -> {
          work.entry().ifPresent(known -> forget(subject, work, known, by, reason));
          return work.wasThere();
        });
  }

  private void forget(
      Subject subject,
      VolumeWork work,
      CatalogEntry known,
      ClaimOverride.Person by,
      ReasonText reason) {
    VolumeKey key = known.key();
    String holders;
    try {
      holders = VolumeClaims.holders(claims.claim(key));
    } catch (ControllerException nobodyCanSay) {
      holders = nobodyCanSay.operatorMessage().seen().text();
    }
    if (known.state() instanceof State.Deleting) {
      // The hold of a deletion that another control plane has begun meanwhile stays.
      work.begin(subject, known);
      endLeft(subject, key);
    }
    // A snapshot may have begun since the record was read.
    CatalogEntry last = work.remove(subject).orElse(known);
    changes.unsee(key);
    told.accept(
        Messages.of(
            OperatorCode.VOLUME_FORGOTTEN,
            subject,
            by
                + " requested it: "
                + reason.text()
                + (holders.isEmpty() ? "; no workload holds it" : "; " + holders)
                + Catalog.asked(last).map(asked -> "; " + asked).orElse("")));
  }

  /** Ends a hold, unless the claims cannot be read: the person decided without them. */
  private void endLeft(Subject subject, VolumeKey key) {
    try {
      hold.endLeft(subject, key);
    } catch (ControllerException nobodyCanSay) {
      told.accept(nobodyCanSay.operatorMessage());
    }
  }

  // ---- deletion

  /** Deletes a volume that was created here; a volume without a record counts as deleted. */
  void delete(VolumeKey key) {
    Subject subject = Subject.of("deleting volume '" + key + "'");
    catalog.work(
        subject,
        key,
        work -> {
          work.entry().ifPresent(known -> finish(work, doom(work, known)));
          return Done.DONE;
        });
  }

  /**
   * Continues the deletion of a volume.
   *
   * @return whether a deletion is pending
   */
  boolean goOn(VolumeWork work) {
    Optional<CatalogEntry> doomed =
        work.entry().filter(record -> record.state() instanceof State.Deleting);
    doomed.ifPresent(known -> finish(work, known));
    return doomed.isPresent();
  }

  /** Holds the claims of a volume that is being deleted, and finishes its deletion. */
  void finish(VolumeWork work, CatalogEntry doomed) {
    finish(work, held(work, doomed));
  }

  /**
   * A volume that is being deleted.
   *
   * @param record the record of the volume, under which it is not kept, whatever the storage system
   *     answers later
   * @param before the volume, if this attempt may keep it
   * @param held the epoch of the deletion's hold
   */
  private record Doomed(CatalogEntry record, Optional<CatalogVolume> before, long held) {}

  /** Returns the entry of a volume that is deleted in any case. */
  private static CatalogEntry unkept(CatalogEntry doomed) {
    return doomed.in(new State.Deleting(doomed.id(), Optional.empty()));
  }

  private static Optional<CatalogVolume> before(CatalogEntry doomed) {
    return doomed.state() instanceof State.Deleting going ? going.before() : Optional.empty();
  }

  private Doomed held(VolumeWork work, CatalogEntry doomed) {
    Subject subject = deleting(doomed);
    if (hold.isTogether()) {
      Part<Claim> taking = hold.taking(doomed.key());
      CatalogEntry going = work.begin(subject, unkept(doomed), taking);
      return new Doomed(going, before(doomed), DeletionHold.epoch(taking));
    }
    var unused = work.begin(subject, doomed);
    return confirmed(subject, work, doomed, hold.take(subject, doomed.key()));
  }

  /**
   * Records that a volume whose claims are held is being deleted. If that fails, the hold ends: if
   * another control plane finished the deletion, nothing would end the hold later.
   */
  private Doomed confirmed(Subject subject, VolumeWork work, CatalogEntry doomed, long held) {
    try {
      return new Doomed(work.begin(subject, unkept(doomed)), before(doomed), held);
    } catch (ControllerException notOurs) {
      try {
        hold.end(subject, doomed.key(), held);
      } catch (ControllerException left) {
        notOurs.addSuppressed(left);
      }
      throw ControllerFailures.onRecord(notOurs);
    }
  }

  /**
   * Restores a record after a failure. If that fails, too, the content of the record is uncertain,
   * and the second failure is added to the first.
   */
  private static void putBack(Subject subject, ControllerException first, Runnable write) {
    try {
      write.run();
    } catch (ControllerException second) {
      ControllerException both =
          ControllerFailures.failed(
              ChangeOutcome.UNCERTAIN,
              second.code(),
              subject,
              second.operatorMessage().seen().text()
                  + "; before that: "
                  + first.operatorMessage().seen().text(),
              second);
      both.addSuppressed(first);
      throw both;
    }
  }

  private Doomed doom(VolumeWork work, CatalogEntry known) {
    Subject subject = deleting(known);
    boolean isForeign =
        known.volume().map(it -> it.origin() == CatalogVolume.Origin.REGISTERED).orElse(false);
    if (isForeign) {
      throw ControllerFailures.refused(OperatorCode.VOLUME_NOT_OURS, subject, "");
    }
    claims.refuseHeld(subject, known.key());
    if (known.state() instanceof State.Deleting) {
      try {
        return held(work, known);
      } catch (ControllerException failed) {
        throw ControllerFailures.onRecord(failed);
      }
    }
    CatalogEntry doomed = doomed(known);
    if (hold.isTogether()) {
      Part<Claim> taking = hold.taking(known.key());
      CatalogEntry going = work.intend(subject, Kind.CHANGE, unkept(doomed), taking);
      return new Doomed(going, before(doomed), DeletionHold.epoch(taking));
    }
    if (hold.isPossible()) {
      // A claim that is made before the hold sees the volume unchanged.
      work.intend(subject, Kind.DELETION, known);
    } else {
      // A claim that is made from now on sees that the volume is being deleted.
      work.intend(subject, Kind.CHANGE, unkept(doomed));
    }
    long held;
    try {
      claims.refuseHeld(subject, known.key());
      held = hold.take(subject, known.key());
    } catch (ControllerException claimed) {
      putBack(
          subject,
          claimed,
          () -> work.end(subject, claimed.outcome() == ChangeOutcome.UNCERTAIN ? doomed : known));
      throw claimed;
    }
    return confirmed(subject, work, doomed, held);
  }

  /** Returns the entry of a volume that is being deleted. */
  static CatalogEntry doomed(CatalogEntry known) {
    Optional<CatalogVolume> before =
        known.spec().ephemeral() ? Optional.empty() : kept(known.state());
    return known.state() instanceof State.Deleting
        ? known
        : known.in(new State.Deleting(known.id(), before));
  }

  /**
   * An expansion may have succeeded, and only its answer would show what is pending on the node.
   */
  private static Optional<CatalogVolume> kept(State state) {
    if (state instanceof State.Growing growing) {
      return Optional.of(VolumeModification.maybeGrown(growing));
    }
    return state instanceof State.Present there ? Optional.of(there.volume()) : Optional.empty();
  }

  /**
   * Finishes a deletion. The claims are held from before the call to the storage system until its
   * answer; the record shows the deletion for as long, so that no hold is ever left over.
   *
   * <p>The volume is kept if the storage system refuses the first request. Once an answer is lost,
   * or the end cannot be written, the volume may be gone, whatever the answer to a later attempt.
   */
  private void finish(VolumeWork work, Doomed begun) {
    try {
      gone(work, deleted(work, begun), begun.held());
    } catch (ControllerException failed) {
      throw ControllerFailures.onRecord(failed);
    }
  }

  /** Deletes a volume in the storage system, and returns its record. */
  private CatalogEntry deleted(VolumeWork work, Doomed begun) {
    boolean isAsked = false;
    try {
      CatalogEntry known = known(work, begun.record());
      // The volume may have been claimed since its deletion was recorded.
      claims.refuseHeld(deleting(known), known.key());
      isAsked = true;
      controllers.answer(work.guarded(calls.delete(known.spec(), known.id().orElseThrow())));
      return known;
    } catch (ControllerException failed) {
      if (begun.before().isPresent()) {
        keep(work, begun, isAsked, failed);
      }
      throw failed;
    }
  }

  /** Returns the record with the id of the volume, which no other record may have. */
  private CatalogEntry known(VolumeWork work, CatalogEntry doomed) {
    if (doomed.id().isPresent()) {
      catalog.refuseOther(doomed, doomed.id().get());
      return doomed;
    }
    VolumeId id = learn(work, doomed);
    catalog.refuseOther(doomed, id);
    CatalogEntry known =
        work.begin(
            deleting(doomed), doomed.in(new State.Deleting(Optional.of(id), Optional.empty())));
    catalog.refuseOther(known, id);
    return known;
  }

  /**
   * Restores the record of a volume that the storage system has refused to delete. If nothing was
   * sent, the next attempt may do so, also after a person's decision.
   */
  private void keep(VolumeWork work, Doomed begun, boolean isAsked, ControllerException failed) {
    CatalogEntry going = begun.record();
    Subject subject = deleting(going);
    boolean isRefused = failed.outcome() == ChangeOutcome.REFUSED;
    if (isAsked && isRefused) {
      CatalogEntry kept = going.in(new State.Present(begun.before().orElseThrow()));
      putBack(subject, failed, () -> putBack(subject, work, kept, begun.held()));
    } else if (!isAsked || failed.outcome() == ChangeOutcome.UNAVAILABLE) {
      try {
        work.end(subject, going.in(new State.Deleting(going.id(), begun.before())));
      } catch (ControllerException unwritten) {
        failed.addSuppressed(unwritten);
      }
    }
  }

  private void putBack(Subject subject, VolumeWork work, CatalogEntry kept, long held) {
    if (hold.isTogether()) {
      work.end(subject, kept, hold.ending(kept.key(), held));
    } else {
      hold.end(subject, kept.key(), held);
      work.end(subject, kept);
    }
  }

  private void gone(VolumeWork work, CatalogEntry known, long held) {
    Subject subject = deleting(known);
    if (hold.isTogether()) {
      var unused = work.remove(subject, hold.ending(known.key(), held));
    } else {
      hold.end(subject, known.key(), held);
      var unused = work.remove(subject);
    }
    changes.unsee(known.key());
  }

  /**
   * Returns the id of the volume. The same request under the same name finds or creates the volume,
   * because only its answer contains the id.
   */
  private VolumeId learn(VolumeWork work, CatalogEntry doomed) {
    Subject subject = deleting(doomed);
    ControllerFacts facts = controllers.abilities(doomed.spec().plugin(), subject);
    try {
      return controllers.answer(work.guarded(calls.create(doomed, facts))).id();
    } catch (ControllerException failed) {
      Optional<VolumeId> made = made(failed);
      if (made.isPresent()) {
        return made.get();
      }
      if (failed.outcome() == ChangeOutcome.REFUSED) {
        // The refusal concerns only this attempt: an earlier one may have created the volume.
        throw ControllerFailures.failed(
            ChangeOutcome.HELD,
            OperatorCode.VOLUME_MAY_BE_LEFT,
            subject,
            failed.operatorMessage().seen().text(),
            failed.getCause());
      }
      throw failed;
    }
  }

  /** The id of the volume in an answer that is otherwise unusable. */
  static Optional<VolumeId> made(ControllerException failed) {
    return failed.getCause() instanceof CsiAnswerException answer
        ? answer.created().map(VolumeId::of)
        : Optional.empty();
  }

  private static Subject deleting(CatalogEntry record) {
    return record
        .id()
        .map(id -> Subject.of("deleting", new VolumeIdentity(record.spec().plugin(), id)))
        .orElseGet(() -> ControllerCalls.about("deleting", record));
  }
}
