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
 * Where the bytes of volumes are, and what happens to them on a node.
 *
 * <p>Every method is idempotent: done again, it does nothing more. A failure makes the call fail as
 * the {@linkplain #refusal refusal} says, and leaves the plugin's knowledge as it was. Calls about
 * one volume come one at a time, those about different volumes at the same time.
 */
public interface Storage {

  /**
   * Returns the answer to a call at which this storage failed.
   *
   * @param doing what failed, such as {@code Staging the volume 'v'}
   */
  default Refusal refusal(String doing, Exception failure) {
    return new Refusal(
        StatusCode.INTERNAL,
        doing
            + " failed: "
            + SafeText.escape(String.valueOf(failure.getMessage()))
            + ". Try again.");
  }

  /** Loads what was saved last; empty at the first start. Called at each start of the plugin. */
  State load() throws IOException;

  /** Keeps what the plugin knows, before the call that changed it is answered. */
  void save(State state) throws IOException;

  /**
   * Returns a mark for every new id, so that none comes again in another process; empty where
   * nothing outlives this one.
   */
  default String mark() {
    return "";
  }

  /** Returns what the context of a new volume tells of it beside what every volume's tells. */
  default Map<String, String> context(CreateVolumeRequest asked) throws IOException, Refusal {
    return Map.of();
  }

  /** Makes the bytes of a new volume, filled from the content source of {@code asked}. */
  void create(Volume volume, CreateVolumeRequest asked) throws IOException, Refusal;

  /** Removes the bytes of a volume. */
  void delete(String volume) throws IOException, Refusal;

  /** Copies a volume as it is now. */
  void snapshot(String snapshot, String volume) throws IOException, Refusal;

  /** Removes the copy. */
  void deleteSnapshot(String snapshot) throws IOException, Refusal;

  /** Makes a volume larger. */
  void expand(String volume, long bytes) throws IOException, Refusal;

  /** Makes a volume usable at its staging path. */
  void stage(NodeStageVolumeRequest asked) throws IOException, Refusal;

  /** Undoes it; the directory stays. */
  void unstage(String volume, String staging) throws IOException, Refusal;

  /** Makes a volume usable at its target path; the first request for that path. */
  void publish(NodePublishVolumeRequest asked) throws IOException, Refusal;

  /** Undoes it, and removes the target path unless {@code leaveTarget}. */
  void unpublish(String volume, String target, boolean leaveTarget) throws IOException, Refusal;

  /** Makes what is at this path as large as the volume is. */
  void expandOnNode(String volume, String path, long bytes) throws IOException, Refusal;

  /** Some of a volume's bytes or files; what is not used is available. */
  static VolumeUsage usage(VolumeUsage.Unit unit, long total, long used) {
    return VolumeUsage.newBuilder()
        .setUnit(unit)
        .setTotal(total)
        .setUsed(used)
        .setAvailable(Math.max(0, total - used))
        .build();
  }

  /** How full a volume is; nothing if the storage cannot tell. */
  List<VolumeUsage> usage(Volume volume, String path) throws IOException, Refusal;

  /** Returns everything that is wrong with a volume's bytes; nothing if the storage cannot tell. */
  default List<VolumeHealth.VolumeHealthEntry> health(String volume) {
    return List.of();
  }

  /** Returns the data of a snapshot; since {@code base}, if given, what differs from it. */
  List<BlockMetadata> blocks(String snapshot, @Nullable String base) throws IOException, Refusal;
}
