package io.csi4j.volume.catalog;

import io.csi4j.volume.internal.fields.MalformedRecordException;
import io.csi4j.volume.internal.text.HashedName;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.state.Durability;
import io.csi4j.volume.state.StateException;
import io.csi4j.volume.state.StateKey;
import io.csi4j.volume.state.StateKind;
import io.csi4j.volume.state.StateReason;
import io.csi4j.volume.state.StateStore;
import io.csi4j.volume.state.StateValue;
import java.util.List;

/**
 * Where volumes are remembered. A record is replaced as a whole; a crash leaves the one before or
 * the one after. Safe for many threads.
 */
public interface VolumeStore {

  /**
   * One that keeps them in a state, whose closing is its owner's. Best a state of their own: a
   * {@code VolumeManager} settles the doubts of its state by looking at mounts, which say nothing
   * of these volumes.
   */
  static VolumeStore on(StateStore state) {
    return new VolumeStore() {

      /** A record that cannot be read ends it: who forgets a volume leaks it. */
      @Override
      public List<CatalogEntry> load() {
        return state.load().values().entrySet().stream()
            .filter(entry -> entry.getKey().kind() == StateKind.CATALOG)
            .map(entry -> read(entry.getKey(), entry.getValue()))
            .toList();
      }

      @Override
      public void put(CatalogEntry volume) {
        state.put(key(volume.key()), CatalogCodec.encode(volume), Durability.REQUIRED);
      }

      @Override
      public void remove(VolumeKey volume) {
        state.remove(key(volume));
      }
    };
  }

  /**
   * All that is remembered.
   *
   * @throws io.csi4j.volume.state.StateException if it cannot be read
   */
  List<CatalogEntry> load();

  /**
   * Remembers a record, on the medium.
   *
   * @throws io.csi4j.volume.state.StateException if it is not on the medium
   */
  void put(CatalogEntry volume);

  /** Forgets a record, on the medium if that lets it. */
  void remove(VolumeKey volume);

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

  private static StateKey key(VolumeKey volume) {
    return StateKey.catalog(HashedName.inCatalog(volume));
  }
}
