package io.csi4j.volume.controller;

import io.csi4j.client.controller.ValidationResult;
import io.csi4j.client.model.Violation;
import io.csi4j.volume.catalog.CatalogEntry;
import io.csi4j.volume.catalog.CatalogVolume;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.plugin.PluginFingerprint;
import io.csi4j.volume.plugin.PluginRegistry;
import io.csi4j.volume.plugin.PluginRole;
import io.csi4j.volume.plugin.RegisteredPlugin;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** Takes volumes on record that were there before, and forgets them again. Deletes nothing. */
final class VolumeRegistration {

  private final Catalog catalog;
  private final Controllers controllers;
  private final VolumeCalls calls;
  private final VolumeDeletion ending;
  private final PluginRegistry registry;
  private final ValidationResult.Policy policy;
  private final OlderModes modes;
  private final Consumer<OperatorMessage> told;

  /**
   * Registers volumes.
   *
   * @param modes decides what is asked for where the plugin does not know an access mode
   * @param policy how much of a volume's use has to be confirmed
   * @param told gets what a plugin did not confirm, and why
   */
  VolumeRegistration(
      Catalog catalog,
      Controllers controllers,
      VolumeCalls calls,
      VolumeDeletion ending,
      OlderModes modes,
      PluginRegistry registry,
      ValidationResult.Policy policy,
      Consumer<OperatorMessage> told) {
    this.catalog = catalog;
    this.controllers = controllers;
    this.calls = calls;
    this.ending = ending;
    this.registry = registry;
    this.policy = policy;
    this.modes = modes;
    this.told = told;
  }

  /** Takes a volume on record, if its plugin agrees to how it is to be used. */
  CatalogVolume register(CatalogVolume wanted) {
    Subject subject = Subject.of("registering", VolumeCalls.identity(wanted));
    Optional<CatalogEntry> known = catalog.find(wanted.key());
    if (known.isPresent()) {
      return known
          .flatMap(CatalogEntry::volume)
          .filter(there -> isSame(there, wanted))
          .orElseThrow(
              () ->
                  ControllerFailures.refused(
                      OperatorCode.VOLUME_KNOWN_OTHERWISE,
                      subject,
                      "'" + wanted.key() + "' is on record"));
    }
    CatalogEntry record = CatalogEntry.of(wanted, Optional.empty());
    CatalogVolume volume = wanted;
    if (mayHaveController(wanted.plugin())) {
      ControllerFacts facts = StepWait.on(controllers.facts(wanted.plugin(), subject));
      validate(subject, wanted, facts);
      volume = named(wanted, facts);
      record = modes.decided(CatalogEntry.of(volume, Optional.empty()), subject, facts);
    }
    catalog.put(subject, record);
    return volume;
  }

  /** False only if instances are there, none is a controller, and none says that there is one. */
  private boolean mayHaveController(PluginId plugin) {
    List<RegisteredPlugin> own =
        registry.plugins().stream()
            .filter(each -> each.registration().id().equals(plugin))
            .toList();
    return own.isEmpty()
        || own.stream()
            .anyMatch(
                each ->
                    each.registration().roles().contains(PluginRole.CONTROLLER)
                        || each.fingerprint().filter(PluginFingerprint::hasController).isPresent());
  }

  private static boolean isSame(CatalogVolume there, CatalogVolume wanted) {
    return there.origin() == CatalogVolume.Origin.REGISTERED
        && there.id().equals(wanted.id())
        && there.context().equals(wanted.context())
        && there.spec().equals(wanted.spec());
  }

  private void validate(Subject subject, CatalogVolume wanted, ControllerFacts facts) {
    ValidationResult answer = StepWait.on(controllers.call(calls.validate(wanted, facts)));
    List<Violation> differences =
        answer instanceof ValidationResult.Mismatch mismatch ? mismatch.differences() : List.of();
    String seen = differences.isEmpty() ? words(answer) : ControllerFailures.text(differences);
    if (!answer.isAcceptable(policy)) {
      throw new ControllerException(
          ControllerException.Outcome.REFUSED,
          Messages.of(OperatorCode.VOLUME_NOT_CONFIRMED, subject, seen),
          differences,
          null);
    }
    if (!(answer instanceof ValidationResult.Confirmed)) {
      told.accept(Messages.of(OperatorCode.VALIDATION_UNANSWERED, subject, seen));
    }
  }

  /** The plugin's own words, which are for people: what they mean, nothing here decides. */
  private static String words(ValidationResult answer) {
    return answer.message().isEmpty() ? "" : "the plugin says: \"" + answer.message() + "\"";
  }

  private static CatalogVolume named(CatalogVolume wanted, ControllerFacts facts) {
    return new CatalogVolume(
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
   * Forgets a volume without holders; it stays in the storage system.
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
