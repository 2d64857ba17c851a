package io.csi4j.volume.controller;

import io.csi4j.client.model.CsiAnswerException;
import io.csi4j.client.model.CsiException;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.VolumeId;
import io.csi4j.volume.catalog.CatalogEntry;
import io.csi4j.volume.catalog.CatalogEntry.State;
import io.csi4j.volume.catalog.CatalogVolume;
import io.csi4j.volume.catalog.CreationName;
import io.csi4j.volume.catalog.VolumeSpec;
import io.csi4j.volume.controller.ControllerException.Outcome;
import io.csi4j.volume.internal.text.HashedName;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.state.StateException;
import io.csi4j.volume.state.StateReason;
import java.util.LinkedHashSet;
import java.util.Optional;

/**
 * Makes volumes. The name is on record before the storage system hears of it, and no other volume
 * is made under that name until it is known what became of the first.
 */
final class VolumeCreation {

  private final Catalog catalog;
  private final Controllers controllers;
  private final VolumeCalls calls;
  private final VolumeDeletion ending;
  private final OlderModes modes;
  private final String prefix;

  /**
   * Makes volumes.
   *
   * @param modes decides what is asked for where the plugin does not know an access mode
   * @param prefix what their names begin with
   */
  VolumeCreation(
      Catalog catalog,
      Controllers controllers,
      VolumeCalls calls,
      VolumeDeletion ending,
      OlderModes modes,
      String prefix) {
    this.catalog = catalog;
    this.controllers = controllers;
    this.calls = calls;
    this.ending = ending;
    this.modes = modes;
    this.prefix = prefix;
  }

  /** The volume of this key: the one that there is, or a new one. */
  CatalogVolume create(VolumeKey key, VolumeSpec spec) {
    CatalogEntry known = catalog.find(key).orElse(null);
    if (known == null) {
      CreationName name = new CreationName(prefix + HashedName.inCatalog(key));
      return ask(new CatalogEntry(key, spec, Optional.of(name), new State.Creating()), true);
    }
    Subject subject = VolumeCalls.creating(known);
    if (known.state() instanceof State.Deleting) {
      throw ControllerFailures.refused(OperatorCode.VOLUME_BEING_DELETED, subject, "");
    }
    boolean isSame =
        known.spec().equals(spec.modified(known.spec().mutableParameters()))
            && known.volume().map(it -> it.origin() == CatalogVolume.Origin.CREATED).orElse(true);
    if (!isSame) {
      throw ControllerFailures.refused(
          OperatorCode.VOLUME_KNOWN_OTHERWISE,
          subject,
          known.state() instanceof State.Creating
              ? "it is being created already, as something else; create that one, or delete it"
              : "");
    }
    return known.volume().orElseGet(() -> ask(known, false));
  }

  /**
   * Asks for it.
   *
   * @param isFirst whether it has never been asked for
   */
  private CatalogVolume ask(CatalogEntry begun, boolean isFirst) {
    Subject subject = VolumeCalls.creating(begun);
    ControllerFacts facts = StepWait.on(controllers.facts(begun.spec().plugin(), subject));
    CatalogEntry record = modes.decided(begun, subject, facts);
    if (isFirst) {
      catalog.put(subject, record);
    }
    io.csi4j.client.controller.Volume made;
    try {
      made = StepWait.on(controllers.call(calls.create(record, facts)));
    } catch (ControllerException failed) {
      Optional<VolumeId> unusable = made(failed);
      if (unusable.isPresent()) {
        throw unusable(record, unusable.get(), failed);
      }
      if (isFirst && failed.outcome() != Outcome.UNCERTAIN) {
        catalog.remove(record.key());
      }
      throw worded(record, failed);
    }
    return keep(record, made, facts);
  }

  /** The id of what was made, if an answer cannot be used but for that. */
  static Optional<VolumeId> made(ControllerException failed) {
    return failed.getCause() instanceof CsiAnswerException answer
        ? answer.created().map(VolumeId::of)
        : Optional.empty();
  }

  private CatalogVolume keep(
      CatalogEntry record, io.csi4j.client.controller.Volume made, ControllerFacts facts) {
    Subject subject = VolumeCalls.creating(record);
    ending.refuseOther(record, made.id());
    CatalogVolume volume =
        new CatalogVolume(
            record.key(),
            record.spec(),
            CatalogVolume.Origin.CREATED,
            made.id(),
            facts.name(),
            made.context(),
            new LinkedHashSet<>(made.accessibleTopology()),
            made.capacityBytes(),
            Optional.empty());
    try {
      catalog.put(subject, record.in(new State.Present(volume)));
    } catch (ControllerException failed) {
      if (failed.getCause() instanceof StateException refused
          && refused.reason() == StateReason.STATE_VALUE_TOO_LARGE) {
        throw unusable(record, made.id(), failed);
      }
      // It is there, and the same request finds it again.
      throw new ControllerException(Outcome.UNCERTAIN, failed.operatorMessage(), failed);
    }
    return volume;
  }

  /** Deletes what was made and cannot be used; if that fails, it stays on record as a debt. */
  private ControllerException unusable(
      CatalogEntry record, VolumeId made, ControllerException failed) {
    ending.refuseOther(record, made);
    Subject subject = Subject.of("creating", new VolumeIdentity(record.spec().plugin(), made));
    CatalogEntry doomed =
        catalog.put(subject, record.in(new State.Deleting(Optional.of(made), Optional.empty())));
    ControllerException told =
        new ControllerException(
            Outcome.REFUSED,
            Messages.of(
                OperatorCode.CONTROLLER_ANSWER_UNUSABLE,
                subject,
                failed.violations().isEmpty()
                    ? failed.operatorMessage().seen().text()
                    : ControllerFailures.text(failed.violations())),
            failed.violations(),
            failed.getCause());
    try {
      ending.finish(doomed);
    } catch (ControllerException undone) {
      told.addSuppressed(undone);
    }
    return told;
  }

  /** The plugin's refusal is laid on a source only where there is one. */
  private static ControllerException worded(CatalogEntry record, ControllerException failed) {
    boolean isBlamedOnASource =
        record.spec().source().isEmpty()
            && failed.getCause() instanceof CsiException
            && failed.violations().isEmpty();
    if (!isBlamedOnASource || !(failed.getCause() instanceof CsiException answer)) {
      return failed;
    }
    Subject subject = VolumeCalls.creating(record);
    if (answer.code() == StatusCode.INVALID_ARGUMENT) {
      return ControllerFailures.reworded(
          subject,
          answer,
          new ControllerFailures.Reason(
              "a field is missing, or the plugin does not accept a value"),
          new ControllerFailures.Reason(
              "Correct the parameters, the ways of use, the size or the places."));
    } else if (answer.code() == StatusCode.NOT_FOUND) {
      return ControllerFailures.reworded(
          subject,
          answer,
          new ControllerFailures.Reason(
              "something that the request names is unknown to the plugin"),
          new ControllerFailures.Reason("Check what the parameters and places name."));
    } else if (answer.code() == StatusCode.OUT_OF_RANGE) {
      return ControllerFailures.reworded(
          subject,
          answer,
          new ControllerFailures.Reason("the size asked for is not possible"),
          new ControllerFailures.Reason("Change the capacity range."));
    }
    return failed;
  }
}
