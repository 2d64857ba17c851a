package io.csi4j.volume.catalog;

import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.state.StateStore;
import java.util.List;

/**
 * Where volumes are remembered. A record is replaced as a whole; a crash leaves the one before or
 * the one after. Safe for many threads.
 *
 * @since 1.0
 */
public interface VolumeStore {

  /**
   * One that keeps them in a state, whose closing is its owner's. Best a state of their own: a
   * {@code VolumeManager} settles the doubts of its state by looking at mounts, which say nothing
   * of these volumes.
   */
  static VolumeStore on(StateStore state) {
    return new StoredVolumes(state);
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
}
