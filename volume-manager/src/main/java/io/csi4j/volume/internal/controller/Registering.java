package io.csi4j.volume.internal.controller;

import io.csi4j.client.controller.ValidationResult;
import io.csi4j.volume.OperatorCode;
import io.csi4j.volume.VolumeKey;
import io.csi4j.volume.catalog.ExpectedInstances;
import io.csi4j.volume.catalog.PluginView;
import io.csi4j.volume.catalog.Volume;
import io.csi4j.volume.catalog.VolumeRecord;
import io.csi4j.volume.controller.ControllerException;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.plugin.PluginRegistry;
import java.util.List;
import java.util.Optional;

/** Takes volumes on record that were there before, and forgets them again. Deletes nothing. */
final class Registering {

  private final Catalog catalog;
  private final Controllers controllers;
  private final VolumeCalls calls;
  private final Ending ending;
  private final PluginRegistry registry;
  private final ValidationResult.Policy policy;

  Registering(
      Catalog catalog,
      Controllers controllers,
      VolumeCalls calls,
      Ending ending,
      PluginRegistry registry,
      ValidationResult.Policy policy) {
    this.catalog = catalog;
    this.controllers = controllers;
    this.calls = calls;
    this.ending = ending;
    this.registry = registry;
    this.policy = policy;
  }

  /** Takes a volume on record, if its plugin agrees to how it is to be used. */
  Volume register(Volume wanted) {
    Subject subject = Subject.of("registering", VolumeCalls.identity(wanted));
    Optional<VolumeRecord> known = catalog.find(wanted.key());
    if (known.isPresent()) {
      return known
          .flatMap(VolumeRecord::volume)
          .filter(there -> isSame(there, wanted))
          .orElseThrow(
              () ->
                  Failures.refused(
                      OperatorCode.VOLUME_KNOWN_OTHERWISE,
                      subject,
                      "'" + wanted.key() + "' is on record"));
    }
    PluginView view = PluginView.of(wanted.plugin(), registry.plugins(), ExpectedInstances.NONE);
    boolean hasNoController =
        view.controllers().registered() == 0
            && view.nodes().registered() > 0
            && !view.isControllerRequired();
    Volume volume = wanted;
    if (!hasNoController) {
      ControllerFacts facts = Waiting.on(controllers.facts(wanted.plugin(), subject));
      validate(subject, wanted, facts);
      volume = named(wanted, facts);
    }
    catalog.put(subject, VolumeRecord.of(volume, Optional.empty()));
    return volume;
  }

  private static boolean isSame(Volume there, Volume wanted) {
    return there.origin() == Volume.Origin.REGISTERED
        && there.id().equals(wanted.id())
        && there.spec().equals(wanted.spec());
  }

  private void validate(Subject subject, Volume wanted, ControllerFacts facts) {
    ValidationResult answer = Waiting.on(controllers.call(calls.validate(wanted, facts)));
    if (!answer.isAcceptable(policy) || saysNo(answer)) {
      ValidationResult.Mismatch mismatch =
          answer instanceof ValidationResult.Mismatch found ? found : null;
      String seen = mismatch == null ? "" : Failures.text(mismatch.differences());
      throw new ControllerException(
          ControllerException.Outcome.REFUSED,
          Messages.of(
              OperatorCode.VOLUME_NOT_CONFIRMED,
              subject,
              seen.isEmpty() && !answer.message().isEmpty()
                  ? "the plugin says: \"" + answer.message() + "\""
                  : seen),
          mismatch == null ? List.of() : mismatch.differences(),
          null);
    }
  }

  /** Who confirms nothing and gives a reason for it has looked, and does not agree. */
  private static boolean saysNo(ValidationResult answer) {
    return answer instanceof ValidationResult.Unconfirmed && !answer.message().isEmpty();
  }

  private static Volume named(Volume wanted, ControllerFacts facts) {
    return new Volume(
        wanted.key(),
        wanted.spec(),
        wanted.origin(),
        wanted.id(),
        facts.name(),
        wanted.context(),
        wanted.topologies(),
        wanted.capacityBytes(),
        wanted.owedToNode());
  }

  /**
   * Forgets a volume that nobody holds; what there is of it stays in the storage system.
   *
   * @return whether it was on record
   */
  boolean deregister(VolumeKey key) {
    boolean isKnown = catalog.find(key).isPresent();
    if (isKnown) {
      ending.refuseClaimed(Subject.of("forgetting volume '" + key + "'"), key);
      catalog.remove(key);
    }
    return isKnown;
  }
}
