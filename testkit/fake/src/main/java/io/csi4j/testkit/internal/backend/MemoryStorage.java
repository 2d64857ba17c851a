package io.csi4j.testkit.internal.backend;

import io.csi4j.client.internal.proto.BlockMetadata;
import io.csi4j.client.internal.proto.CreateVolumeRequest;
import io.csi4j.client.internal.proto.NodePublishVolumeRequest;
import io.csi4j.client.internal.proto.NodeStageVolumeRequest;
import io.csi4j.client.internal.proto.Volume;
import io.csi4j.client.internal.proto.VolumeUsage;
import io.csi4j.client.model.PluginPath;
import io.csi4j.client.model.VolumeId;
import io.csi4j.testkit.effects.NodeEffects;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * No bytes at all: volumes have a size and an age, and what they would hold follows from these.
 * Stagings and publications are left to the effects on the node.
 */
public final class MemoryStorage implements Storage {

  private final NodeEffects effects;
  private final Map<String, Long> sizes = new ConcurrentHashMap<>();
  private final Map<String, SyntheticBlocks> snapshots = new ConcurrentHashMap<>();
  private volatile State saved = State.empty();
  private final AtomicLong cuts = new AtomicLong();

  /** A storage whose nodes are {@code effects}. */
  public MemoryStorage(NodeEffects effects) {
    this.effects = effects;
  }

  @Override
  public State load() {
    return saved;
  }

  @Override
  public void save(State state) {
    saved = state;
  }

  @Override
  public void create(Volume volume, CreateVolumeRequest asked) {
    sizes.put(volume.getVolumeId(), volume.getCapacityBytes());
  }

  @Override
  public void delete(String volume) {
    sizes.remove(volume);
  }

  @Override
  public void snapshot(String snapshot, String volume) {
    snapshots.computeIfAbsent(
        snapshot,
        id ->
            new SyntheticBlocks(
                volume, sizes.getOrDefault(volume, VolumeSizes.DEFAULT), cuts.incrementAndGet()));
  }

  @Override
  public void deleteSnapshot(String snapshot) {
    snapshots.remove(snapshot);
  }

  @Override
  public void expand(String volume, long bytes) {
    sizes.put(volume, bytes);
  }

  @Override
  public void stage(NodeStageVolumeRequest asked) throws IOException {
    effects.stage(VolumeId.of(asked.getVolumeId()), PluginPath.of(asked.getStagingTargetPath()));
  }

  @Override
  public void unstage(String volume, String staging) throws IOException {
    effects.unstage(VolumeId.of(volume), PluginPath.of(staging));
  }

  @Override
  public void publish(NodePublishVolumeRequest asked) throws IOException {
    effects.publish(
        new NodeEffects.Publication(
            VolumeId.of(asked.getVolumeId()),
            PluginPath.of(asked.getTargetPath()),
            asked.getVolumeCapability().hasBlock(),
            PublishService.readOnly(asked)));
  }

  @Override
  public void unpublish(String volume, String target, boolean leaveTarget) throws IOException {
    VolumeId id = VolumeId.of(volume);
    PluginPath path = PluginPath.of(target);
    if (!leaveTarget) {
      effects.unpublish(id, path);
    } else {
      effects.unmount(path);
    }
  }

  @Override
  public void expandOnNode(String volume, String path, long bytes) {}

  @Override
  public List<VolumeUsage> usage(Volume volume, String path) {
    long bytes = volume.getCapacityBytes();
    long inodes = Math.max(16, bytes >> 14);
    return List.of(
        usage(VolumeUsage.Unit.BYTES, bytes, bytes >> 4),
        usage(VolumeUsage.Unit.INODES, inodes, 11));
  }

  private static VolumeUsage usage(VolumeUsage.Unit unit, long total, long used) {
    return VolumeUsage.newBuilder()
        .setUnit(unit)
        .setTotal(total)
        .setUsed(used)
        .setAvailable(total - used)
        .build();
  }

  @Override
  public List<BlockMetadata> blocks(String snapshot, @Nullable String base) throws IOException {
    SyntheticBlocks target = synthetic(snapshot);
    return base == null ? target.allocated() : target.changedSince(synthetic(base));
  }

  private SyntheticBlocks synthetic(String snapshot) throws IOException {
    SyntheticBlocks blocks = snapshots.get(snapshot);
    if (blocks == null) {
      throw new IOException("the blocks of snapshot " + snapshot + " are lost");
    }
    return blocks;
  }
}
