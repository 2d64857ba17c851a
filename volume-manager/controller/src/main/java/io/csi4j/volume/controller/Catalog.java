package io.csi4j.volume.controller;

import io.csi4j.volume.catalog.CatalogEntry;
import io.csi4j.volume.catalog.CatalogVolume;
import io.csi4j.volume.catalog.VolumeStore;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.state.StateException;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;

/** The volumes that are remembered: what the store has, at hand. */
final class Catalog {

  private final VolumeStore store;
  private final ConcurrentSkipListMap<VolumeKey, CatalogEntry> records =
      new ConcurrentSkipListMap<>();

  /** What this store has. */
  Catalog(VolumeStore store) {
    this.store = store;
    store.load().forEach(each -> records.put(each.key(), each));
  }

  Optional<CatalogEntry> find(VolumeKey key) {
    return Optional.ofNullable(records.get(key));
  }

  Collection<CatalogEntry> all() {
    return List.copyOf(records.values());
  }

  List<CatalogVolume> volumes() {
    return all().stream().flatMap(each -> each.volume().stream()).toList();
  }

  /** Remembers it on the medium before it is shown. */
  CatalogEntry put(Subject subject, CatalogEntry record) {
    try {
      store.put(record);
    } catch (StateException refused) {
      throw new ControllerException(
          ControllerException.Outcome.UNAVAILABLE,
          Messages.of(
              OperatorCode.valueOf(refused.reason().name()),
              subject,
              String.valueOf(refused.getMessage())),
          refused);
    }
    records.put(record.key(), record);
    return record;
  }

  void remove(VolumeKey key) {
    store.remove(key);
    records.remove(key);
  }

  /** Another record of the same volume, if there is one: deleting it would take that one's data. */
  Optional<CatalogEntry> other(VolumeKey key, VolumeIdentity volume) {
    return all().stream()
        .filter(each -> !each.key().equals(key))
        .filter(each -> each.spec().plugin().equals(volume.plugin()))
        .filter(each -> each.id().equals(Optional.of(volume.handle())))
        .findFirst();
  }
}
