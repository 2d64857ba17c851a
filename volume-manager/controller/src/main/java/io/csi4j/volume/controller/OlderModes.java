package io.csi4j.volume.controller;

import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.volume.catalog.CatalogEntry;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.PluginId;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * Whether a plugin is asked for an older access mode in the place of one that it does not know:
 * decided when a volume comes on record, and told once for a plugin.
 */
final class OlderModes {

  private final Set<PluginId> told = ConcurrentHashMap.newKeySet();
  private final Consumer<OperatorMessage> listener;

  OlderModes(Consumer<OperatorMessage> listener) {
    this.listener = listener;
  }

  /** The record of a volume that comes on record, with what is decided. */
  CatalogEntry decided(CatalogEntry record, Subject subject, ControllerFacts facts) {
    Optional<AccessMode> unknown =
        record.spec().capabilitiesInFull().stream()
            .map(VolumeCapability::accessMode)
            .filter(mode -> mode != mode.withoutSingleNodeMultiWriter())
            .findFirst();
    if (unknown.isEmpty() || facts.offers(ControllerCapability.SINGLE_NODE_MULTI_WRITER)) {
      return record;
    }
    if (told.add(record.spec().plugin())) {
      AccessMode mode = unknown.get();
      listener.accept(
          Messages.of(
              OperatorCode.ACCESS_MODE_REPLACED,
              subject,
              mode.withoutSingleNodeMultiWriter()
                  + " is sent for "
                  + mode
                  + ", as the controller of the plugin does not offer SINGLE_NODE_MULTI_WRITER; this"
                  + " is said once for the plugin"));
    }
    return record.underOlderModes();
  }
}
