package io.csi4j.volume.catalog;

import io.csi4j.volume.internal.fields.MalformedRecordException;
import io.csi4j.volume.internal.text.HashedName;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.state.Durability;
import io.csi4j.volume.state.LoadedState;
import io.csi4j.volume.state.StateException;
import io.csi4j.volume.state.StateKey;
import io.csi4j.volume.state.StateKind;
import io.csi4j.volume.state.StateReason;
import io.csi4j.volume.state.StateStore;
import io.csi4j.volume.state.StateValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Volumes of a storage system in a state, one value for each. */
final class StoredVolumes implements VolumeStore {

  private final StateStore state;

  /** In this state, which is not closed with it. */
  public StoredVolumes(StateStore state) {
    this.state = state;
  }

  /** A record that cannot be read ends it: who forgets a volume leaks it. */
  @Override
  public List<CatalogEntry> load() {
    LoadedState loaded = state.load();
    List<CatalogEntry> all = new ArrayList<>();
    for (Map.Entry<StateKey, StateValue> entry : loaded.values().entrySet()) {
      if (entry.getKey().kind() == StateKind.CATALOG) {
        all.add(read(entry.getKey(), entry.getValue()));
      }
    }
    return List.copyOf(all);
  }

  private static CatalogEntry read(StateKey key, StateValue value) {
    try {
      return CatalogCodec.decode(value);
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
    state.put(key(volume.key()), CatalogCodec.encode(volume), Durability.REQUIRED);
  }

  @Override
  public void remove(VolumeKey volume) {
    state.remove(key(volume));
  }

  private static StateKey key(VolumeKey volume) {
    return StateKey.catalog(HashedName.inCatalog(volume));
  }
}
