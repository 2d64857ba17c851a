package io.csi4j.volume.internal.controller;

import io.csi4j.client.CsiAnswerException;
import io.csi4j.client.CsiException;
import io.csi4j.client.StatusCode;
import io.csi4j.client.VolumeId;
import io.csi4j.volume.OperatorCode;
import io.csi4j.volume.VolumeKey;
import io.csi4j.volume.catalog.CreationName;
import io.csi4j.volume.catalog.Volume;
import io.csi4j.volume.catalog.VolumeRecord;
import io.csi4j.volume.catalog.VolumeRecord.State;
import io.csi4j.volume.catalog.VolumeSpec;
import io.csi4j.volume.controller.ControllerException;
import io.csi4j.volume.controller.ControllerException.Outcome;
import io.csi4j.volume.internal.record.VolumeIdentity;
import io.csi4j.volume.internal.text.HashedName;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.state.StateException;
import io.csi4j.volume.state.StateReason;
import java.util.LinkedHashSet;
import java.util.Optional;

/**
 * Makes volumes. The name is on record before the storage system hears of it, and no other volume
 * is made under that name until it is known what became of the first.
 */
final class Creating {

  private final Catalog catalog;
  private final Controllers controllers;
  private final VolumeCalls calls;
  private final Ending ending;
  private final String prefix;

  /**
   * Makes volumes.
   *
   * @param prefix what their names begin with
   */
  Creating(
      Catalog catalog, Controllers controllers, VolumeCalls calls, Ending ending, String prefix) {
    this.catalog = catalog;
    this.controllers = controllers;
    this.calls = calls;
    this.ending = ending;
    this.prefix = prefix;
  }

  /** The volume of this key: the one that there is, or a new one. */
  Volume create(VolumeKey key, VolumeSpec spec) {
    VolumeRecord known = catalog.find(key).orElse(null);
    if (known == null) {
      CreationName name = new CreationName(prefix + HashedName.inCatalog(key));
      return ask(new VolumeRecord(key, spec, Optional.of(name), new State.Creating()), true);
    }
    Subject subject = VolumeCalls.creating(known);
    if (known.state() instanceof State.Deleting) {
      throw Failures.refused(OperatorCode.VOLUME_BEING_DELETED, subject, "");
    }
    boolean isSame =
        known.spec().equals(spec.modified(known.spec().mutableParameters()))
            && known.volume().map(it -> it.origin() == Volume.Origin.CREATED).orElse(true);
    if (!isSame) {
      throw Failures.refused(
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
  private Volume ask(VolumeRecord record, boolean isFirst) {
    Subject subject = VolumeCalls.creating(record);
    ControllerFacts facts = Waiting.on(controllers.facts(record.spec().plugin(), subject));
    if (isFirst) {
      catalog.put(subject, record);
    }
    io.csi4j.client.controller.Volume made;
    try {
      made = Waiting.on(controllers.call(calls.create(record, facts)));
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

  private Volume keep(
      VolumeRecord record, io.csi4j.client.controller.Volume made, ControllerFacts facts) {
    Subject subject = VolumeCalls.creating(record);
    ending.refuseOther(record, made.id());
    Volume volume =
        new Volume(
            record.key(),
            record.spec(),
            Volume.Origin.CREATED,
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
      VolumeRecord record, VolumeId made, ControllerException failed) {
    ending.refuseOther(record, made);
    Subject subject = Subject.of("creating", new VolumeIdentity(record.spec().plugin(), made));
    VolumeRecord doomed =
        catalog.put(subject, record.in(new State.Deleting(Optional.of(made), Optional.empty())));
    ControllerException told =
        new ControllerException(
            Outcome.REFUSED,
            Messages.of(
                OperatorCode.CONTROLLER_ANSWER_UNUSABLE,
                subject,
                failed.violations().isEmpty()
                    ? failed.operatorMessage().seen().text()
                    : Failures.text(failed.violations())),
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
  private static ControllerException worded(VolumeRecord record, ControllerException failed) {
    boolean isBlamedOnASource =
        record.spec().source().isEmpty()
            && failed.getCause() instanceof CsiException
            && failed.violations().isEmpty();
    if (!isBlamedOnASource || !(failed.getCause() instanceof CsiException answer)) {
      return failed;
    }
    Subject subject = VolumeCalls.creating(record);
    if (answer.code() == StatusCode.INVALID_ARGUMENT) {
      return Failures.reworded(
          subject,
          answer,
          new Failures.Reason("a field is missing, or the plugin does not accept a value"),
          new Failures.Reason("Correct the parameters, the ways of use, the size or the places."));
    } else if (answer.code() == StatusCode.NOT_FOUND) {
      return Failures.reworded(
          subject,
          answer,
          new Failures.Reason("something that the request names is unknown to the plugin"),
          new Failures.Reason("Check what the parameters and places name."));
    } else if (answer.code() == StatusCode.OUT_OF_RANGE) {
      return Failures.reworded(
          subject,
          answer,
          new Failures.Reason("the size asked for is not possible"),
          new Failures.Reason("Change the capacity range."));
    }
    return failed;
  }
}
