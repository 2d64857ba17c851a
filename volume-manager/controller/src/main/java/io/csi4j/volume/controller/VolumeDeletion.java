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
 * How a volume goes: it is deleted, or forgotten and left where it is. That it is to go stays on
 * record until it is gone.
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

  // ---- forgetting

  /**
   * Forgets a volume without holders; it stays in the storage system.
   *
   * @return whether it was on record
   */
  boolean deregister(VolumeKey key) {
    Subject subject = Subject.of("forgetting volume '" + key + "'");
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
    // Another control plane may have begun to hold the claims for its deletion: the hold is ended
    // once the work is owned. A snapshot of the volume is refused by then.
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
    // The volume is not attached any more: a claim that was written before is found here, and the
    // coordinator of a later one finds no volume.
    claims.refuseHeld(subject, key);
    work.removeUncut(subject);
  }

  /** Forgets a volume whoever holds it, as a person decided. */
  boolean forget(VolumeKey key, ClaimOverride.Person by, ReasonText reason) {
    Subject subject = Subject.of("forgetting volume '" + key + "'");
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
                + " decided it: "
                + reason.text()
                + (holders.isEmpty() ? "; nobody holds it" : "; " + holders)
                + Catalog.asked(last).map(asked -> "; " + asked).orElse("")));
  }

  /** Ends a hold, unless nobody can say what is claimed: a person decided without that. */
  private void endLeft(Subject subject, VolumeKey key) {
    try {
      hold.endLeft(subject, key);
    } catch (ControllerException nobodyCanSay) {
      told.accept(nobodyCanSay.operatorMessage());
    }
  }

  // ---- deleting

  /** Deletes a volume that was made here; one that is not on record counts as deleted. */
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
   * Goes on with the deletion of a volume.
   *
   * @return whether one was begun
   */
  boolean goOn(VolumeWork work) {
    Optional<CatalogEntry> doomed =
        work.entry().filter(record -> record.state() instanceof State.Deleting);
    doomed.ifPresent(known -> finish(work, known));
    return doomed.isPresent();
  }

  /** Holds the claims of a volume that is being deleted, and brings its deletion to its end. */
  void finish(VolumeWork work, CatalogEntry doomed) {
    finish(work, held(work, doomed));
  }

  /**
   * A volume that is being deleted.
   *
   * @param record what is on record of it: it is not kept, whatever the storage system says later
   * @param before the volume, if this attempt may keep it
   * @param held the epoch of the hold that its deletion has
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
   * Writes that a volume is being deleted whose claims are held. The hold ends if that fails: where
   * another control plane has brought the deletion to its end, none would end it later.
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
   * Puts a record back after a failure. If that fails, too, it is not known what the record says,
   * and the first failure is kept with the second.
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
      // A claim that comes before the hold finds the volume as it was.
      work.intend(subject, Kind.DELETION, known);
    } else {
      // A claim that comes from now on finds that the volume is being deleted.
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

  /** Growing may have come through, and only its answer would say what is owed to the node. */
  private static Optional<CatalogVolume> kept(State state) {
    if (state instanceof State.Growing growing) {
      return Optional.of(VolumeModification.maybeGrown(growing));
    }
    return state instanceof State.Present there ? Optional.of(there.volume()) : Optional.empty();
  }

  /**
   * Brings a deletion to its end. The claims are held for it from before the storage system is
   * asked until it has answered; the record says so as long, so that no hold is ever left over.
   *
   * <p>The volume is kept if the storage system refuses, and was not asked before: once an answer
   * is lost, or the end cannot be written, the volume may be gone, whatever a later attempt is
   * answered.
   */
  private void finish(VolumeWork work, Doomed begun) {
    try {
      gone(work, deleted(work, begun), begun.held());
    } catch (ControllerException failed) {
      throw ControllerFailures.onRecord(failed);
    }
  }

  /** Has the storage system delete a volume, and returns its record. */
  private CatalogEntry deleted(VolumeWork work, Doomed begun) {
    boolean isAsked = false;
    try {
      CatalogEntry known = known(work, begun.record());
      // It may have been claimed since it was to be deleted.
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

  /** Returns the record with the id of the volume, which no other record has. */
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
   * Puts a volume back on record that the storage system has refused to delete. Where nothing was
   * sent, the next attempt may do so, also once a person has decided.
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
   * Returns the id of the volume. The same request under the same name finds what was made, or
   * makes it: only so it has an id.
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
        // A refusal is about this attempt alone: an earlier one may have made the volume.
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

  /** The id of what was made, if an answer cannot be used but for that. */
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
