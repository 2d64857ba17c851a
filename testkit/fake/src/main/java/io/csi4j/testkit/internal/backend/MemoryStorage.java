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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * A storage that stores no bytes. A volume has only a size and an age, from which the blocks of its
 * snapshots are computed. {@link NodeEffects} handle staging and publishing.
 */
public final class MemoryStorage implements Storage {

  private final NodeEffects effects;
  private final Map<String, Long> sizes = new ConcurrentHashMap<>();
  private final Map<String, SyntheticBlocks> snapshots = new ConcurrentHashMap<>();
  private volatile State saved = State.empty();
  private final AtomicLong cuts = new AtomicLong();

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
            State.readOnly(asked)));
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
        Storage.usage(VolumeUsage.Unit.BYTES, bytes, bytes >> 4),
        Storage.usage(VolumeUsage.Unit.INODES, inodes, 11));
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

  /**
   * The blocks of a snapshot, which are computed and not stored. About half of the blocks hold
   * data, and their share grows with the first snapshots of a volume. About a quarter of the blocks
   * change from one snapshot to the next. The same volume and age always result in the same blocks.
   */
  private record SyntheticBlocks(String volume, long size, long age) {

    private static final int BLOCKS = 64;

    /** Returns the blocks that hold data, as ranges in ascending order. */
    List<BlockMetadata> allocated() {
      return ranges(block -> roll(block, 0) < 8 + Math.min(age, 4));
    }

    /** Returns the blocks written since an earlier snapshot of the same volume. */
    List<BlockMetadata> changedSince(SyntheticBlocks base) {
      return ranges(block -> at(block) >= base.size || roll(block, base.age * 31 + age) < 4);
    }

    /** Returns a number from 0 to 15. */
    private int roll(int block, long salt) {
      long mixed = (volume.hashCode() * 31L + block + salt * 0x9E3779B9L) * 0xBF58476D1CE4E5B9L;
      return (int) (mixed >>> 60);
    }

    private long at(int block) {
      return block * blockSize();
    }

    private long blockSize() {
      return Math.max(4096, (size + BLOCKS - 1) / BLOCKS);
    }

    private List<BlockMetadata> ranges(IntPredicate wanted) {
      List<BlockMetadata> ranges = new ArrayList<>();
      long begin = -1;
      for (int block = 0; block <= BLOCKS; block++) {
        boolean in = block < BLOCKS && at(block) < size && wanted.test(block);
        if (in && begin < 0) {
          begin = at(block);
        } else if (!in && begin >= 0) {
          long end = Math.min(size, at(block));
          ranges.add(
              BlockMetadata.newBuilder().setByteOffset(begin).setSizeBytes(end - begin).build());
          begin = -1;
        }
      }
      return ranges;
    }
  }
}
