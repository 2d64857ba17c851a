package io.csi4j.volume.controller;

import io.csi4j.client.model.CsiAnswerException;
import io.csi4j.client.model.VolumeId;
import io.csi4j.volume.catalog.CatalogEntry;
import io.csi4j.volume.catalog.CatalogEntry.State;
import io.csi4j.volume.catalog.CatalogVolume;
import io.csi4j.volume.claim.ClaimOverride;
import io.csi4j.volume.internal.catalog.CatalogWork.Kind;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
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
    this.hold = new DeletionHold(options.book());
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
      if (known.state() instanceof State.Deleting) {
        hold.endLeft(subject, known.key());
      }
      // The volume is not attached any more: a claim that was written before is found here, and
      // the coordinator of a later one finds no volume.
      claims.refuseHeld(subject, known.key());
      work.removeUncut(subject);
    } catch (ControllerException kept) {
      putBack(subject, kept, () -> work.end(subject, known));
      throw kept;
    }
    changes.unsee(known.key());
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
   * @param record what is on record of it
   * @param held the epoch of the hold that its deletion has
   */
  private record Doomed(CatalogEntry record, long held) {}

  private Doomed held(VolumeWork work, CatalogEntry doomed) {
    Subject subject = deleting(doomed);
    CatalogEntry going = work.begin(subject, doomed);
    return confirmed(subject, work, going, hold.take(subject, doomed.key()));
  }

  /**
   * Writes that a volume is being deleted whose claims are held. The hold ends if that fails: where
   * another control plane has brought the deletion to its end, none would end it later.
   */
  private Doomed confirmed(Subject subject, VolumeWork work, CatalogEntry doomed, long held) {
    try {
      return new Doomed(work.begin(subject, doomed), held);
    } catch (ControllerException notOurs) {
      try {
        hold.end(subject, doomed.key(), held);
      } catch (ControllerException left) {
        notOurs.addSuppressed(left);
      }
      throw notOurs;
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
      return held(work, known);
    }
    CatalogEntry doomed = doomed(known);
    if (hold.isPossible()) {
      // A claim that comes before the hold finds the volume as it was.
      work.intend(subject, Kind.DELETION, known);
    } else {
      // A claim that comes from now on finds that the volume is being deleted.
      work.intend(subject, Kind.CHANGE, doomed);
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
   * asked until it has answered; the record says so for longer, so that no hold is ever left over.
   */
  private void finish(VolumeWork work, Doomed begun) {
    CatalogEntry doomed = begun.record();
    State.Deleting going = (State.Deleting) doomed.state();
    CatalogEntry known = doomed;
    VolumeId id = going.id().orElse(null);
    if (id == null) {
      Optional<VolumeId> learned = learn(work, doomed);
      if (learned.isEmpty()) {
        hold.end(deleting(doomed), doomed.key(), begun.held());
        gone(work, doomed);
        return;
      }
      id = learned.get();
      catalog.refuseOther(doomed, id);
      known = work.begin(deleting(doomed), doomed.in(new State.Deleting(learned, going.before())));
    }
    catalog.refuseOther(known, id);
    // It may have been claimed since it was to be deleted.
    claims.refuseHeld(deleting(known), known.key());
    try {
      controllers.answer(work.guarded(calls.delete(known.spec(), id)));
    } catch (ControllerException failed) {
      if (failed.outcome() == ChangeOutcome.REFUSED && going.before().isPresent()) {
        CatalogEntry kept = known.in(new State.Present(going.before().get()));
        Subject subject = deleting(kept);
        putBack(
            subject,
            failed,
            () -> {
              hold.end(subject, kept.key(), begun.held());
              work.end(subject, kept);
            });
      }
      throw failed;
    }
    hold.end(deleting(known), known.key(), begun.held());
    gone(work, known);
  }

  private void gone(VolumeWork work, CatalogEntry known) {
    var unused = work.remove(deleting(known));
    changes.unsee(known.key());
  }

  /**
   * The same request under the same name finds what was made, or makes it: only so it has an id.
   */
  private Optional<VolumeId> learn(VolumeWork work, CatalogEntry doomed) {
    Subject subject = deleting(doomed);
    ControllerFacts facts = controllers.abilities(doomed.spec().plugin(), subject);
    try {
      return Optional.of(controllers.answer(work.guarded(calls.create(doomed, facts))).id());
    } catch (ControllerException failed) {
      Optional<VolumeId> made = made(failed);
      if (made.isPresent()) {
        return made;
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
