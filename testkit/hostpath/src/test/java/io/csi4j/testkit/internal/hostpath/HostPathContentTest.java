package io.csi4j.testkit.internal.hostpath;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.client.model.SnapshotId;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.VolumeContentSource;
import io.csi4j.client.model.VolumeId;
import io.csi4j.client.node.VolumeStats;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.real.MountTest;
import io.csi4j.mount.real.Scratch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What is in volumes: copies of it, and its limits. */
@MountTest
class HostPathContentTest {

  private static final Map<String, String> MEMORY = Map.of("medium", "memory");

  @Test
  void snapshotsAndClonesHaveTheSameContent(Scratch scratch) throws Exception {
    try (Rig rig = Rig.open(scratch)) {
      VolumeId volume = rig.create("db");
      Path path = rig.use(volume, Rig.MOUNT, "one");
      fill(path);
      SnapshotId snapshot = rig.snapshot(volume, "monday");
      Files.writeString(path.resolve("d/f"), "changed since");
      Files.createFile(path.resolve("new"));

      VolumeId restored = rig.clone("restored", Rig.MOUNT, VolumeContentSource.of(snapshot));
      VolumeId twin = rig.clone("twin", Rig.MOUNT, VolumeContentSource.of(volume));
      Path then = rig.use(restored, Rig.MOUNT, "then");
      Path now = rig.use(twin, Rig.MOUNT, "now");

      check(then);
      assertThat(then.resolve("new")).doesNotExist();
      assertThat(now.resolve("d/f")).hasContent("changed since");
      assertThat(now.resolve("new")).exists();
      // A copy is one: it does not change with its source.
      Files.writeString(then.resolve("d/f"), "other");
      assertThat(path.resolve("d/f")).hasContent("changed since");

      rig.release(volume, "one");
      rig.delete(volume);
      rig.deleteSnapshot(snapshot);
      assertThat(Rig.tree(rig.data().resolve("snapshots"))).isEmpty();
      assertThat(Rig.tree(rig.data().resolve("work"))).isEmpty();
    }
  }

  private static void fill(Path path) throws Exception {
    Files.createDirectory(path.resolve("d"));
    Files.writeString(path.resolve("d/f"), "content");
    Files.setPosixFilePermissions(
        path.resolve("d/f"), PosixFilePermissions.fromString("rwxr-x--x"));
    Files.setLastModifiedTime(path.resolve("d/f"), FileTime.from(Instant.EPOCH));
    Files.createLink(path.resolve("same"), path.resolve("d/f"));
    Files.createSymbolicLink(path.resolve("link"), Path.of("../../outside"));
    Files.createDirectory(path.resolve("closed"));
    Files.writeString(path.resolve("closed/in"), "it");
    Files.setPosixFilePermissions(
        path.resolve("closed"), PosixFilePermissions.fromString("r-x------"));
    byte[] large = new byte[300_000];
    large[200_000] = 1;
    Files.write(path.resolve("large"), large);
    Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxr-x---"));
  }

  private static void check(Path path) throws Exception {
    assertThat(Rig.tree(path))
        .containsExactly("closed", "closed/in", "d", "d/f", "large", "link", "same");
    assertThat(path.resolve("d/f")).hasContent("content");
    assertThat(permissions(path.resolve("d/f"))).isEqualTo("rwxr-x--x");
    assertThat(permissions(path.resolve("closed"))).isEqualTo("r-x------");
    assertThat(permissions(path)).isEqualTo("rwxr-x---");
    assertThat(Files.getLastModifiedTime(path.resolve("d/f")).toInstant()).isEqualTo(Instant.EPOCH);
    assertThat(Files.isSameFile(path.resolve("same"), path.resolve("d/f"))).isTrue();
    assertThat(Files.readSymbolicLink(path.resolve("link"))).isEqualTo(Path.of("../../outside"));
    byte[] large = Files.readAllBytes(path.resolve("large"));
    assertThat(large).hasSize(300_000);
    assertThat(large[200_000]).isEqualTo((byte) 1);
  }

  @Test
  void symbolicLinksInAVolumeLeadNoCopyAndNoDeletionOut(Scratch scratch) throws Exception {
    scratch.file("outside/precious", "stays");
    try (Rig rig = Rig.open(scratch)) {
      VolumeId volume = rig.create("db");
      Path path = rig.use(volume, Rig.MOUNT, "one");
      Files.createSymbolicLink(path.resolve("out"), scratch.file("outside"));
      Files.createSymbolicLink(path.resolve("file"), scratch.file("outside/precious"));

      VolumeId twin = rig.clone("twin", Rig.MOUNT, VolumeContentSource.of(volume));
      assertThat(rig.stats(volume, "one").inodes().orElseThrow().used()).isEqualTo(3);
      Path copy = rig.use(twin, Rig.MOUNT, "two");
      assertThat(copy.resolve("out")).isSymbolicLink();
      assertThat(copy.resolve("file")).isSymbolicLink();

      rig.release(volume, "one");
      rig.release(twin, "two");
      rig.delete(volume);
      rig.delete(twin);
      assertThat(scratch.file("outside/precious")).hasContent("stays");
      assertThat(Rig.tree(rig.data().resolve("volumes"))).isEmpty();
    }
  }

  @Test
  void aVolumeInWhichSomethingElseIsMountedIsNeitherCopiedNorDeleted(Scratch scratch)
      throws Exception {
    try (Rig rig = Rig.open(scratch)) {
      VolumeId volume = rig.create("db");
      Path content = rig.data().resolve("volumes").resolve(volume.value()).resolve("disk");
      Files.createDirectory(content.resolve("in"));
      scratch.file("outside/precious", "stays");
      scratch.bind(scratch.path("outside"), MountPath.of(content.resolve("in")));

      assertThat(HostPathLifeTest.refusal(() -> rig.snapshot(volume, "s")))
          .isEqualTo(StatusCode.FAILED_PRECONDITION);
      assertThat(HostPathLifeTest.refusal(() -> rig.delete(volume)))
          .isEqualTo(StatusCode.FAILED_PRECONDITION);

      assertThat(content.resolve("in/precious")).hasContent("stays");
      assertThat(Rig.tree(rig.data().resolve("work"))).isEmpty();
    }
  }

  @Test
  void aVolumeInMemoryIsAsLargeAsItIsMadeAndGrows(Scratch scratch) throws Exception {
    try (Rig rig = Rig.open(scratch)) {
      VolumeId volume = rig.create("fast", Rig.MOUNT, MEMORY);
      assertThat(rig.context(volume).reveal()).containsEntry("medium", "memory");
      Path path = rig.use(volume, Rig.MOUNT, "one");

      assertThatThrownBy(() -> Files.write(path.resolve("f"), new byte[(int) Rig.MIB + 1]))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("No space left on device");
      Files.delete(path.resolve("f"));

      assertThat(rig.expand(volume, 2 * Rig.MIB)).isEqualTo(2 * Rig.MIB);
      Files.write(path.resolve("f"), new byte[(int) Rig.MIB + 1]);

      VolumeStats.Usage bytes = rig.stats(volume, "one").bytes().orElseThrow();
      assertThat(bytes.total()).isEqualTo(2 * Rig.MIB);
      assertThat(bytes.used()).isBetween(Rig.MIB + 1, Rig.MIB + 8192);
      VolumeStats.Usage inodes = rig.stats(volume, "one").inodes().orElseThrow();
      assertThat(inodes.used()).isEqualTo(2);

      rig.reopen();
      assertThat(Files.size(path.resolve("f"))).isEqualTo(Rig.MIB + 1);
      rig.release(volume, "one");
      rig.delete(volume);
      assertThat(rig.mounts()).isEmpty();
      assertThat(Rig.tree(rig.data().resolve("volumes"))).isEmpty();
    }
  }

  @Test
  void aVolumeInMemoryIsCopiedToDiskAndBack(Scratch scratch) throws Exception {
    try (Rig rig = Rig.open(scratch)) {
      VolumeId volume = rig.create("fast", Rig.MOUNT, MEMORY);
      Path path = rig.use(volume, Rig.MOUNT, "one");
      fill(path);
      SnapshotId snapshot = rig.snapshot(volume, "monday");
      rig.release(volume, "one");
      rig.delete(volume);

      VolumeId restored = rig.clone("restored", Rig.MOUNT, VolumeContentSource.of(snapshot));
      check(rig.use(restored, Rig.MOUNT, "two"));
    }
  }

  @Test
  void aVolumeInMemoryIsEmptyAfterAReboot(Scratch scratch) throws Exception {
    try (Rig rig = Rig.open(scratch)) {
      VolumeId volume = rig.create("fast", Rig.MOUNT, MEMORY);
      Path path = rig.use(volume, Rig.MOUNT, "one");
      Files.writeString(path.resolve("f"), "lost");
      rig.release(volume, "one");
      rig.close();
      for (String left : rig.mounts()) {
        scratch.rawUnmount(MountPath.of(left), 0);
      }

      rig.reopen();

      Path again = rig.use(volume, Rig.MOUNT, "one");
      assertThat(Rig.tree(again)).isEmpty();
      assertThat(again.toFile().getTotalSpace()).isEqualTo(Rig.MIB);
    }
  }

  @Test
  void whatDoesNotFitIntoMemoryLeavesNothingBehind(Scratch scratch) throws Exception {
    try (Rig rig = Rig.open(scratch)) {
      VolumeId volume = rig.create("db");
      Path path = rig.use(volume, Rig.MOUNT, "one");
      // The size of a volume on disk is not enforced.
      Files.writeString(path.resolve("f"), "x".repeat((int) (2 * Rig.MIB)));

      assertThat(
              HostPathLifeTest.refusal(
                  () ->
                      rig.create(
                          io.csi4j.client.controller.CreateVolumeRequest.builder(
                                  "fast", java.util.List.of(Rig.MOUNT))
                              .capacityRange(io.csi4j.client.model.CapacityRange.atLeast(Rig.MIB))
                              .parameters(MEMORY)
                              .contentSource(VolumeContentSource.of(volume)))))
          .isEqualTo(StatusCode.INTERNAL);

      assertThat(Rig.tree(rig.data().resolve("work"))).isEmpty();
      assertThat(rig.mounts()).hasSize(2);
    }
  }

  private static String permissions(Path path) throws Exception {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }
}
