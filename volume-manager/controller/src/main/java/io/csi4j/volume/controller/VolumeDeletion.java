package io.csi4j.volume.controller;

import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.VolumeId;
import io.csi4j.volume.catalog.CatalogEntry;
import io.csi4j.volume.catalog.CatalogEntry.State;
import io.csi4j.volume.catalog.CatalogVolume;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.controller.ControllerException.Outcome;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.model.VolumeKey;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Deletes volumes. That one is to go is on record before the storage system hears of it, and stays
 * so until it is gone.
 */
final class VolumeDeletion {

  private final Catalog catalog;
  private final Controllers controllers;
  private final VolumeCalls calls;
  private final Function<VolumeKey, Optional<Claim>> claims;

  VolumeDeletion(
      Catalog catalog,
      Controllers controllers,
      VolumeCalls calls,
      Function<VolumeKey, Optional<Claim>> claims) {
    this.catalog = catalog;
    this.controllers = controllers;
    this.calls = calls;
    this.claims = claims;
  }

  /** Deletes a volume that was made here; one that is not on record counts as deleted. */
  Done delete(VolumeKey key) {
    Optional<CatalogEntry> known = catalog.find(key);
    if (known.isPresent()) {
      finish(doom(known.get()));
    }
    return Done.DONE;
  }

  private CatalogEntry doom(CatalogEntry known) {
    Subject subject = deleting(known);
    boolean isForeign =
        known.volume().map(it -> it.origin() == CatalogVolume.Origin.REGISTERED).orElse(false);
    if (isForeign) {
      throw ControllerFailures.refused(OperatorCode.VOLUME_NOT_OURS, subject, "");
    }
    refuseClaimed(subject, known.key());
    if (known.state() instanceof State.Deleting) {
      return known;
    }
    refuseCut(subject, known);
    Optional<CatalogVolume> before =
        known.spec().ephemeral() ? Optional.empty() : kept(known.state());
    CatalogEntry doomed = catalog.put(subject, known.in(new State.Deleting(known.id(), before)));
    try {
      // A claim from now on finds that the volume is being deleted.
      refuseClaimed(subject, known.key());
      refuseCut(subject, doomed);
    } catch (ControllerException claimed) {
      catalog.put(subject, known);
      throw claimed;
    }
    return doomed;
  }

  /** A snapshot of unknown fate can be found by its volume only. */
  private static void refuseCut(Subject subject, CatalogEntry record) {
    if (!record.cuts().isEmpty()) {
      throw ControllerFailures.refused(
          OperatorCode.SNAPSHOT_OWED,
          subject,
          record.cuts().stream()
              .map(cut -> "snapshot '" + cut.name() + "' was asked for")
              .collect(Collectors.joining(", ")));
    }
  }

  /** Growing may have come through, and only its answer would say what is owed to the node. */
  private static Optional<CatalogVolume> kept(State state) {
    if (state instanceof State.Growing growing) {
      return Optional.of(VolumeGrowth.maybeGrown(growing));
    }
    return state instanceof State.Present there ? Optional.of(there.volume()) : Optional.empty();
  }

  /** Refuses what would take a volume from those who hold it, naming them. */
  void refuseClaimed(Subject subject, VolumeKey key) {
    Optional<Claim> claim;
    try {
      claim = claims.apply(key).filter(it -> !it.holders().isEmpty());
    } catch (RuntimeException nobodyCanSay) {
      throw ControllerFailures.failed(
          Outcome.UNAVAILABLE,
          OperatorCode.CLAIM_STORE_DOWN,
          subject,
          "nobody can say who holds it: " + nobodyCanSay.getMessage(),
          nobodyCanSay);
    }
    if (claim.isPresent()) {
      throw ControllerFailures.refused(
          OperatorCode.VOLUME_CLAIMED,
          subject,
          claim.get().holders().values().stream()
              .map(
                  holder ->
                      "workload '"
                          + holder.workload()
                          + "' on node '"
                          + holder.node()
                          + "' holds it ("
                          + holder.mode()
                          + ", "
                          + holder.state()
                          + ")")
              .collect(Collectors.joining(", ")));
    }
  }

  /** Brings a deletion to its end. */
  void finish(CatalogEntry doomed) {
    State.Deleting going = (State.Deleting) doomed.state();
    CatalogEntry known = doomed;
    VolumeId id = going.id().orElse(null);
    if (id == null) {
      Optional<VolumeId> learned = learn(doomed);
      if (learned.isEmpty()) {
        catalog.remove(doomed.key());
        return;
      }
      id = learned.get();
      refuseOther(doomed, id);
      known = catalog.put(deleting(doomed), doomed.in(new State.Deleting(learned, going.before())));
    }
    refuseOther(known, id);
    // It may have been claimed since it was to be deleted.
    refuseClaimed(deleting(known), known.key());
    try {
      StepWait.on(controllers.call(calls.delete(known.spec(), id)));
    } catch (ControllerException failed) {
      if (failed.outcome() == Outcome.REFUSED && going.before().isPresent()) {
        catalog.put(deleting(known), known.in(new State.Present(going.before().get())));
      }
      throw failed;
    }
    catalog.remove(known.key());
  }

  /**
   * The same request under the same name finds what was made, or makes it: only so it has an id.
   */
  private Optional<VolumeId> learn(CatalogEntry doomed) {
    Subject subject = deleting(doomed);
    ControllerFacts facts = StepWait.on(controllers.facts(doomed.spec().plugin(), subject));
    try {
      return Optional.of(StepWait.on(controllers.call(calls.create(doomed, facts))).id());
    } catch (ControllerException failed) {
      Optional<VolumeId> made = VolumeCreation.made(failed);
      if (made.isPresent()) {
        return made;
      }
      StatusCode status = failed.status().orElse(StatusCode.OK);
      if (failed.outcome() == Outcome.REFUSED) {
        if (status == StatusCode.INVALID_ARGUMENT || status == StatusCode.OUT_OF_RANGE) {
          // What is wrong with the request now was wrong with it before.
          return Optional.empty();
        }
        throw ControllerFailures.failed(
            Outcome.HELD,
            OperatorCode.VOLUME_MAY_BE_LEFT,
            subject,
            failed.operatorMessage().seen().text(),
            failed.getCause());
      }
      throw failed;
    }
  }

  /** A volume that is on record under another name is not touched. */
  void refuseOther(CatalogEntry record, VolumeId id) {
    VolumeIdentity identity = new VolumeIdentity(record.spec().plugin(), id);
    Optional<CatalogEntry> other = catalog.other(record.key(), identity);
    if (other.isPresent()) {
      throw ControllerFailures.failed(
          Outcome.HELD,
          OperatorCode.VOLUME_ID_TAKEN,
          Subject.of("asking for volume '" + record.key() + "', which got the id of", identity),
          "that is '" + other.get().key() + "'",
          null);
    }
  }

  static Subject deleting(CatalogEntry record) {
    return record
        .id()
        .map(id -> Subject.of("deleting", new VolumeIdentity(record.spec().plugin(), id)))
        .orElseGet(
            () ->
                Subject.of(
                    "deleting volume '"
                        + record.key()
                        + "' ("
                        + record.name().map(Object::toString).orElse("")
                        + ") of plugin '"
                        + record.spec().plugin()
                        + "'"));
  }
}
