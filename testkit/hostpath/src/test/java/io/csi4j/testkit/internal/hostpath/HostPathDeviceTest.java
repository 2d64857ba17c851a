package io.csi4j.testkit.internal.hostpath;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.csi4j.client.internal.proto.CreateVolumeRequest;
import io.csi4j.client.internal.proto.NodePublishVolumeRequest;
import io.csi4j.client.internal.proto.Volume;
import io.csi4j.client.internal.proto.VolumeCapability;
import io.csi4j.client.metadata.BlockMetadataBatch;
import io.csi4j.client.metadata.GetMetadataAllocatedRequest;
import io.csi4j.client.metadata.GetMetadataDeltaRequest;
import io.csi4j.client.metadata.MetadataStream;
import io.csi4j.client.model.SnapshotId;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.VolumeContentSource;
import io.csi4j.client.model.VolumeId;
import io.csi4j.mount.MountTable;
import io.csi4j.mount.Mounts;
import io.csi4j.mount.real.MountTest;
import io.csi4j.mount.real.Scratch;
import io.csi4j.testkit.internal.backend.State;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Volumes that are raw devices. */
@MountTest
class HostPathDeviceTest {

  private static final int BLOCK = 64 << 10;

  @Test
  void aDeviceIsPublishedWrittenGrownAndGone(Scratch scratch) throws Exception {
    try (Rig rig = Rig.open(scratch)) {
      VolumeId volume = rig.create("raw", Rig.BLOCK, Map.of());
      String medium = rig.context(volume).reveal().get("medium");
      assertThat(medium).isEqualTo(rig.plugin().limits().isEmpty() ? "loop" : "file");
      Path device = rig.use(volume, Rig.BLOCK, "raw");
      assertThat(rig.mounts()).containsExactly(rig.target("raw").value());
      assertThat(Files.isRegularFile(device)).isEqualTo(medium.equals("file"));

      write(device, 0, "first");
      rig.publish(volume, Rig.BLOCK, "second", true);
      assertThat(read(rig.file("second"), 0, 5)).isEqualTo("first");
      assertThatThrownBy(() -> write(rig.file("second"), 0, "no")).isInstanceOf(IOException.class);

      assertThat(rig.expand(volume, 2 * Rig.MIB)).isEqualTo(2 * Rig.MIB);
      write(device, 2 * Rig.MIB - 4, "last");
      assertThat(rig.stats(volume, "raw").bytes().orElseThrow().total()).isEqualTo(2 * Rig.MIB);

      rig.reopen();
      assertThat(rig.plugin().contents().published()).hasSize(2);
      rig.unpublish(volume, "second");
      rig.release(volume, "raw");
      Path content = rig.data().resolve("volumes").resolve(volume.value()).resolve(medium);
      assertThat(new LoopDevices(Programs.system()).of(content)).isEmpty();
      assertThat(read(content, 2 * Rig.MIB - 4, 4)).isEqualTo("last");
      rig.delete(volume);
      assertThat(rig.mounts()).isEmpty();
      assertThat(Rig.tree(rig.data().resolve("volumes"))).isEmpty();
    }
  }

  @Test
  void aDeviceWhoseLoopWasTakenAwayCanStillBeUnpublished(Scratch scratch) throws Exception {
    try (Rig rig = Rig.open(scratch)) {
      assumeThat(rig.plugin().limits()).as("needs a loop device").isEmpty();
      VolumeId volume = rig.create("raw", Rig.BLOCK, Map.of());
      rig.use(volume, Rig.BLOCK, "raw");
      LoopDevices loops = new LoopDevices(Programs.system());
      Path content = rig.data().resolve("volumes").resolve(volume.value()).resolve("loop");
      for (LoopDevices.Loop loop : loops.of(content)) {
        loops.detach(loop.path());
      }

      rig.release(volume, "raw");

      assertThat(rig.mounts()).isEmpty();
      rig.delete(volume);
    }
  }

  @Test
  void snapshotsOfADeviceTellWhatChanged(Scratch scratch) throws Exception {
    try (Rig rig = Rig.open(scratch)) {
      VolumeId volume = rig.create("raw", Rig.BLOCK, Map.of());
      Path device = rig.use(volume, Rig.BLOCK, "raw");
      write(device, 3 * BLOCK + 7, "data");
      SnapshotId first = rig.snapshot(volume, "first");
      write(device, 0, "more");
      write(device, 15 * BLOCK, "end");
      SnapshotId second = rig.snapshot(volume, "second");

      assertThat(allocated(rig, first))
          .containsExactly(new BlockMetadataBatch.Range(3 * BLOCK, BLOCK));
      assertThat(delta(rig, first, second))
          .containsExactly(
              new BlockMetadataBatch.Range(0, BLOCK),
              new BlockMetadataBatch.Range(15 * BLOCK, BLOCK));

      VolumeId restored = rig.clone("restored", Rig.BLOCK, VolumeContentSource.of(first));
      Path again = rig.use(restored, Rig.BLOCK, "again");
      assertThat(read(again, 3 * BLOCK + 7, 4)).isEqualTo("data");
      assertThat(read(again, 0, 4)).isEqualTo("\0\0\0\0");
      rig.release(restored, "again");
      rig.release(volume, "raw");
      rig.delete(restored);
      rig.delete(volume);
    }
  }

  @Test
  void aDeviceIsNotRestoredAsAFilesystem(Scratch scratch) {
    try (Rig rig = Rig.open(scratch)) {
      VolumeId volume = rig.create("raw", Rig.BLOCK, Map.of());
      SnapshotId snapshot = rig.snapshot(volume, "first");

      assertThat(
              HostPathLifeTest.refusal(
                  () -> rig.clone("other", Rig.MOUNT, VolumeContentSource.of(snapshot))))
          .isEqualTo(StatusCode.INVALID_ARGUMENT);
      assertThat(Rig.tree(rig.data().resolve("work"))).isEmpty();
      assertThat(Rig.tree(rig.data().resolve("volumes"))).hasSize(2);
    }
  }

  @Test
  void whereNoLoopDeviceCanBeHadTheFileItselfIsPublished(Scratch scratch) throws Exception {
    Programs none = new Programs(List.of(), Duration.ofSeconds(1));
    try (HostPathStorage storage =
        HostPathStorage.open(scratch.file("data"), Mounts.system(), MountTable.system(), none)) {
      assertThat(storage.load()).isEqualTo(State.empty());
      VolumeCapability block =
          VolumeCapability.newBuilder()
              .setBlock(VolumeCapability.BlockVolume.getDefaultInstance())
              .build();
      CreateVolumeRequest asked =
          CreateVolumeRequest.newBuilder().setName("raw").addVolumeCapabilities(block).build();
      assertThat(storage.context(asked)).containsEntry("medium", "file");
      assertThat(storage.limits()).singleElement().asString().contains("no program losetup");
      storage.create(Volume.newBuilder().setVolumeId("raw").setCapacityBytes(5000).build(), asked);
      scratch.directory("targets");
      NodePublishVolumeRequest publish =
          NodePublishVolumeRequest.newBuilder()
              .setVolumeId("raw")
              .setTargetPath(scratch.path("targets/rw").toString())
              .setVolumeCapability(block)
              .build();
      storage.publish(publish);
      storage.publish(
          publish.toBuilder()
              .setTargetPath(scratch.path("targets/ro").toString())
              .setReadonly(true)
              .build());

      assertThat(scratch.file("targets/rw")).isRegularFile();
      assertThat(Files.size(scratch.file("targets/rw"))).isEqualTo(8192);
      write(scratch.file("targets/rw"), 0, "data");
      assertThat(read(scratch.file("targets/ro"), 0, 4)).isEqualTo("data");
      assertThatThrownBy(() -> write(scratch.file("targets/ro"), 0, "no"))
          .isInstanceOf(IOException.class);

      storage.unpublish("raw", scratch.path("targets/rw").toString(), false);
      storage.unpublish("raw", scratch.path("targets/ro").toString(), false);
      assertThat(Rig.tree(scratch.file("targets"))).isEmpty();
      storage.delete("raw");
    }
  }

  private static List<BlockMetadataBatch.Range> allocated(Rig rig, SnapshotId snapshot) {
    try (MetadataStream stream =
        rig.client()
            .snapshotMetadata()
            .getMetadataAllocated(GetMetadataAllocatedRequest.builder(snapshot).build())) {
      return ranges(stream);
    }
  }

  private static List<BlockMetadataBatch.Range> delta(Rig rig, SnapshotId base, SnapshotId target) {
    try (MetadataStream stream =
        rig.client()
            .snapshotMetadata()
            .getMetadataDelta(GetMetadataDeltaRequest.builder(base, target).build())) {
      return ranges(stream);
    }
  }

  private static List<BlockMetadataBatch.Range> ranges(MetadataStream stream) {
    List<BlockMetadataBatch.Range> ranges = new ArrayList<>();
    while (stream.hasNext()) {
      ranges.addAll(stream.next().ranges());
    }
    return ranges;
  }

  private static void write(Path device, long at, String text) throws IOException {
    try (RandomAccessFile open = new RandomAccessFile(device.toFile(), "rw")) {
      open.seek(at);
      open.writeBytes(text);
      open.getFD().sync();
    }
  }

  private static String read(Path device, long at, int length) throws IOException {
    try (RandomAccessFile open = new RandomAccessFile(device.toFile(), "r")) {
      open.seek(at);
      byte[] bytes = new byte[length];
      open.readFully(bytes);
      return new String(bytes, java.nio.charset.StandardCharsets.US_ASCII);
    }
  }
}
