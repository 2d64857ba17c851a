package io.csi4j.volume.controller;

import io.csi4j.client.controller.Capacity;
import io.csi4j.client.controller.Snapshot;
import io.csi4j.client.controller.VolumeEntry;
import io.csi4j.client.group.VolumeGroupSnapshot;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.Experimental;
import io.csi4j.client.model.Topology;
import io.csi4j.client.model.TopologyRequirement;
import io.csi4j.client.model.VolumeHealthReport;
import io.csi4j.volume.catalog.CatalogVolume;
import io.csi4j.volume.catalog.VolumeSpec;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeKey;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The calls to a storage system about volumes. Without blocking.
 *
 * <p>A stage ends when its operation does, and fails with the {@link ControllerException} that the
 * blocking call would throw. Cancelling one that waits for its turn takes it out of the line;
 * later, it ends the waiting and nothing else. Actions that hang on a stage run on a thread of the
 * controller: they may block, and hold up no other.
 *
 * @since 1.0
 */
public interface AsyncVolumeController {

  /** Makes a volume, or finds the one that was made under the same key. */
  CompletionStage<CatalogVolume> create(VolumeKey key, VolumeSpec spec);

  /** Deletes a volume that was made here. */
  CompletionStage<@Nullable Void> delete(VolumeKey key);

  /** Takes a volume on record that was there before. */
  CompletionStage<CatalogVolume> register(CatalogVolume volume);

  /** Forgets a volume, and leaves it where it is. */
  CompletionStage<Boolean> deregister(VolumeKey key);

  /** Grows a volume. */
  CompletionStage<CatalogVolume> expand(VolumeKey key, CapacityRange to);

  /** Changes parameters of a volume. */
  CompletionStage<CatalogVolume> modify(VolumeKey key, Map<String, String> mutableParameters);

  /** Cuts a snapshot, and waits until it is ready. */
  CompletionStage<Snapshot> createSnapshot(
      VolumeKey volume, SnapshotName name, Map<String, String> parameters);

  /** Cuts a snapshot that can be used from these places, and waits until it is ready. */
  @Experimental
  CompletionStage<Snapshot> createSnapshot(
      VolumeKey volume,
      SnapshotName name,
      Map<String, String> parameters,
      TopologyRequirement usableFrom);

  /** Cuts snapshots of several volumes at one moment, and waits until all are ready. */
  CompletionStage<VolumeGroupSnapshot> createGroupSnapshot(
      Set<VolumeKey> volumes, SnapshotName name, Map<String, String> parameters);

  /** Reads what the plugin says of a volume now. */
  CompletionStage<VolumeEntry> inspect(VolumeKey key);

  /** Reads what the plugin says is wrong with a volume; nothing if it does not say. */
  @Experimental
  CompletionStage<Optional<VolumeHealthReport>> health(VolumeKey key);

  /** Reads how much room there is for volumes like this one. */
  CompletionStage<Capacity> capacity(VolumeSpec spec, Optional<Topology> place);

  /** Reads whether claims of volumes of a plugin have to have them attached to nodes. */
  CompletionStage<Boolean> attaches(PluginId plugin);
}
