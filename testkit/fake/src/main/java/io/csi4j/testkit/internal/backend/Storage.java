package io.csi4j.testkit.internal.backend;

import io.csi4j.client.internal.proto.BlockMetadata;
import io.csi4j.client.internal.proto.CreateVolumeRequest;
import io.csi4j.client.internal.proto.NodePublishVolumeRequest;
import io.csi4j.client.internal.proto.NodeStageVolumeRequest;
import io.csi4j.client.internal.proto.Volume;
import io.csi4j.client.internal.proto.VolumeHealth;
import io.csi4j.client.internal.proto.VolumeUsage;
import io.csi4j.client.internal.text.SafeText;
import io.csi4j.client.model.StatusCode;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Stores the bytes of volumes, and makes volumes usable on a node.
 *
 * <p>Every method is idempotent: a repeated call has no further effect. If a method fails, the CSI
 * call fails with the {@linkplain #refusal refusal}, and the plugin's state remains unchanged.
 * Calls for the same volume never overlap. Calls for different volumes may run concurrently.
 */
public interface Storage {

  /**
   * Returns the refusal with which the plugin answers a CSI call after a failure of this storage.
   *
   * @param doing the failed action, such as {@code Staging the volume 'v'}
   */
  default Refusal refusal(String doing, Exception failure) {
    return new Refusal(
        StatusCode.INTERNAL,
        doing
            + " failed: "
            + SafeText.escape(String.valueOf(failure.getMessage()))
            + ". Try again.");
  }

  /**
   * Loads the most recently saved state; empty at the first start. Called at each start of the
   * plugin.
   */
  State load() throws IOException;

  /**
   * Saves the state of the plugin. Called before the plugin answers the call that changed the
   * state.
   */
  void save(State state) throws IOException;

  /**
   * Returns a text that is part of every new id, so that another process does not create the same
   * ids; empty if the state does not outlive this process.
   */
  default String mark() {
    return "";
  }

  /** Returns additional entries for the context of a new volume. */
  default Map<String, String> context(CreateVolumeRequest asked) throws IOException, Refusal {
    return Map.of();
  }

  /** Creates the bytes of a new volume, and fills them from the content source in {@code asked}. */
  void create(Volume volume, CreateVolumeRequest asked) throws IOException, Refusal;

  /** Removes the bytes of a volume. */
  void delete(String volume) throws IOException, Refusal;

  /** Copies the current bytes of a volume. */
  void snapshot(String snapshot, String volume) throws IOException, Refusal;

  /** Removes the bytes of a snapshot. */
  void deleteSnapshot(String snapshot) throws IOException, Refusal;

  /** Makes a volume larger. */
  void expand(String volume, long bytes) throws IOException, Refusal;

  /** Makes a volume usable at its staging path. */
  void stage(NodeStageVolumeRequest asked) throws IOException, Refusal;

  /** Reverts {@link #stage}. The directory remains. */
  void unstage(String volume, String staging) throws IOException, Refusal;

  /**
   * Makes a volume usable at its target path. Called only for the first of several equal requests
   * for that path.
   */
  void publish(NodePublishVolumeRequest asked) throws IOException, Refusal;

  /** Reverts {@link #publish}, and removes the target path unless {@code leaveTarget}. */
  void unpublish(String volume, String target, boolean leaveTarget) throws IOException, Refusal;

  /** Grows the filesystem or device at this path to the size of the volume. */
  void expandOnNode(String volume, String path, long bytes) throws IOException, Refusal;

  /**
   * Returns the usage of a volume's bytes or inodes. All unused bytes or inodes count as available.
   */
  static VolumeUsage usage(VolumeUsage.Unit unit, long total, long used) {
    return VolumeUsage.newBuilder()
        .setUnit(unit)
        .setTotal(total)
        .setUsed(used)
        .setAvailable(Math.max(0, total - used))
        .build();
  }

  /** Returns the usage of a volume; empty if the storage cannot determine the usage. */
  List<VolumeUsage> usage(Volume volume, String path) throws IOException, Refusal;

  /**
   * Returns all problems that the storage has found with a volume's bytes; empty if it cannot
   * detect problems.
   */
  default List<VolumeHealth.VolumeHealthEntry> health(String volume) {
    return List.of();
  }

  /**
   * Returns the blocks of a snapshot that hold data. With {@code base}, returns the blocks that
   * differ from the snapshot {@code base}.
   */
  List<BlockMetadata> blocks(String snapshot, @Nullable String base) throws IOException, Refusal;
}
