package io.csi4j.volume.catalog;

import io.csi4j.volume.internal.fields.MalformedRecordException;
import io.csi4j.volume.internal.fields.UnknownFields;
import io.csi4j.volume.internal.text.HashedName;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.state.Durability;
import io.csi4j.volume.state.StateException;
import io.csi4j.volume.state.StateKey;
import io.csi4j.volume.state.StateKind;
import io.csi4j.volume.state.StateReason;
import io.csi4j.volume.state.StateStore;
import io.csi4j.volume.state.StateValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Volumes in a state, a value for each. What a newer version wrote beside one is kept with it. */
final class StoredVolumes implements VolumeStore {

  private final StateStore state;
  private final Map<VolumeKey, UnknownFields> newer = new ConcurrentHashMap<>();

  StoredVolumes(StateStore state) {
    this.state = state;
  }

  /** Reads all. One that cannot be read ends it: a volume that is passed over would leak. */
  @Override
  public List<CatalogEntry> load() {
    List<CatalogEntry> volumes = new ArrayList<>();
    state
        .load()
        .values()
        .forEach(
            (key, value) -> {
              if (key.kind() == StateKind.CATALOG) {
                volumes.add(read(key, value));
              }
            });
    return volumes;
  }

  private CatalogEntry read(StateKey key, StateValue value) {
    try {
      CatalogRecord read = CatalogCodec.decode(value);
      newer.put(read.entry().key(), read.unknown());
      return read.entry();
    } catch (MalformedRecordException e) {
      throw new StateException(
          StateReason.JOURNAL_DAMAGED,
          "Reading the volumes of the storage system failed: "
              + key
              + " cannot be read. "
              + e.getMessage()
              + " Use the version that wrote it, or restore the state from a copy.",
          e);
    }
  }

  @Override
  public void put(CatalogEntry volume) {
    UnknownFields unknown = newer.getOrDefault(volume.key(), UnknownFields.NONE);
    StateValue value = CatalogCodec.encode(new CatalogRecord(volume, unknown));
    state.put(key(volume.key()), value, Durability.REQUIRED);
  }

  @Override
  public void remove(VolumeKey volume) {
    state.remove(key(volume));
    newer.remove(volume);
  }

  private static StateKey key(VolumeKey volume) {
    return StateKey.catalog(HashedName.inCatalog(volume));
  }
}
