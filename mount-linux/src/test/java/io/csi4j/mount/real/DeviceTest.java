package io.csi4j.mount.real;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.mount.MountTable;
import io.csi4j.mount.Mounts;
import io.csi4j.mount.RunningKernel;
import io.csi4j.mount.internal.kernel.Abi;
import io.csi4j.mount.internal.kernel.Syscalls;
import io.csi4j.mount.model.Errno;
import io.csi4j.mount.model.FilesystemRequest;
import io.csi4j.mount.model.Holder;
import io.csi4j.mount.model.KernelText;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountException.Reason;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountRecord;
import io.csi4j.mount.model.UnmountPolicy;
import io.csi4j.mount.model.UnmountResult;
import io.csi4j.mount.model.UnmountResult.Step;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Cases L of the mount facts: volumes that are devices. */
@MountTest
@NeedsRoot("a loop device with a filesystem on it")
class DeviceTest {

  private static final UnmountPolicy ONCE = UnmountPolicy.PLAIN.withBusyLimit(Duration.ZERO);

  private final Syscalls calls = RunningKernel.kernel().calls();
  private final MountTable table = MountTable.system();
  private final Mounts mounts = Mounts.system();

  @Test
  void everyPublishOfAVolumeIsAReferenceToIt(Scratch scratch) {
    try (LoopDevice device = LoopDevice.ext4(scratch)) {
      MountPath staging = device.mount(scratch.directory("staging"));
      scratch.bind(staging, scratch.directory("one"));
      scratch.bind(staging, scratch.directory("two"));
      MountRecord staged = record(staging);

      assertThat(table.refs(staged.device(), staged.root()))
          .extracting(MountRecord::path)
          .containsExactlyInAnyOrder(staging, scratch.path("one"), scratch.path("two"));
      assertThat(mounts.whoHolds(staged.ref()).found())
          .containsExactlyInAnyOrder(
              new Holder.Sibling(record(scratch.path("one"))),
              new Holder.Sibling(record(scratch.path("two"))));
    }
  }

  @Test
  void aVolumeThatIsUnstagedWhilePublishedKeepsItsDeviceBusy(Scratch scratch) {
    try (LoopDevice device = LoopDevice.ext4(scratch)) {
      MountPath staging = device.mount(scratch.directory("staging"));
      MountPath published = scratch.directory("published");
      scratch.bind(staging, published);

      UnmountResult unstaged = mounts.unmount(staging, ONCE);

      assertThat(unstaged.step()).isEqualTo(Step.PLAIN);
      assertThat(unstaged.deviceMayBeBusy()).as("because of this mount").isFalse();
      assertThat(device.openAlone()).isEqualTo(-Abi.EBUSY);

      assertThat(mounts.unmount(published, ONCE).step()).isEqualTo(Step.PLAIN);
      assertThat(device.openAlone()).isZero();
    }
  }

  @Test
  void aLazyUnmountKeepsTheDeviceBusyUntilTheLastUserIsGone(Scratch scratch) throws Exception {
    try (LoopDevice device = LoopDevice.ext4(scratch)) {
      MountPath staging = device.mount(scratch.directory("staging"));
      Files.writeString(scratch.file("staging/f"), "kept");
      try (Open open = Open.reading(scratch.path("staging/f"))) {
        assertThat(open.number()).isPositive();

        UnmountResult result = mounts.unmount(staging, ONCE.withLazy());

        assertThat(result.step()).isEqualTo(Step.LAZY);
        assertThat(result.deviceMayBeBusy()).isTrue();
        assertThat(device.openAlone()).isEqualTo(-Abi.EBUSY);
      }
      assertThat(device.openAlone()).isZero();
    }
  }

  @Test
  void aCopyInAContainerKeepsTheDeviceBusyAndIsFound(Scratch scratch) {
    try (LoopDevice device = LoopDevice.ext4(scratch)) {
      MountPath staging = device.mount(scratch.directory("staging"));
      try (Neighbour neighbour = Neighbour.elsewhere("private")) {
        List<Holder> holders = mounts.whoHolds(record(staging).ref()).found();

        assertThat(holders)
            .singleElement()
            .isInstanceOfSatisfying(
                Holder.Elsewhere.class,
                elsewhere -> {
                  assertThat(elsewhere.pid()).isEqualTo(neighbour.pid());
                  assertThat(elsewhere.path()).isEqualTo(staging);
                });
        assertThat(mounts.unmount(staging, ONCE).step()).isEqualTo(Step.PLAIN);
        assertThat(device.openAlone()).isEqualTo(-Abi.EBUSY);

        // The directory goes, and with it the mount that the container kept on it.
        assertThat(mounts.cleanup(staging, ONCE).outcome())
            .isEqualTo(io.csi4j.mount.model.CleanupResult.Outcome.REMOVED);
        assertThat(device.openAlone()).isZero();
      }
    }
  }

  @Test
  void aDeviceWithoutAFilesystemIsNotMounted(Scratch scratch) {
    try (LoopDevice device = LoopDevice.blank(scratch)) {
      MountPath staging = scratch.directory("staging");

      assertThat(calls.mount(Abi.path(device.path()), Abi.path(staging), Abi.path("ext4"), 0, null))
          .isEqualTo(-Abi.EINVAL);
    }
  }

  @Test
  void aDeviceWhoseFilesystemWasWipedIsABadSource(Scratch scratch) throws Exception {
    try (LoopDevice device = LoopDevice.ext4(scratch)) {
      try (var disk = new RandomAccessFile(device.path(), "rw")) {
        disk.write(new byte[4096]);
        disk.getFD().sync();
      }
      MountPath staging = scratch.path("staging");
      FilesystemRequest request =
          FilesystemRequest.builder("ext4", KernelText.of(device.path()), staging)
              .createTarget(true)
              .build();

      MountException refused =
          catchThrowableOfType(MountException.class, () -> mounts.mount(request));

      assertThat(refused.reason()).isEqualTo(Reason.BAD_SOURCE);
      assertThat(refused.errno()).contains(new Errno(Abi.EINVAL));
      assertThat(refused).hasMessageContaining("blkid");
      assertThat(scratch.file("staging")).doesNotExist();
    }
  }

  @Test
  void aVolumeInUseNamesItsUser(Scratch scratch) {
    try (LoopDevice device = LoopDevice.ext4(scratch);
        Neighbour neighbour = Neighbour.here()) {
      MountPath staging = device.mount(scratch.directory("staging"));
      neighbour.run("cd " + staging);

      MountException refused =
          catchThrowableOfType(MountException.class, () -> mounts.unmount(staging, ONCE));

      assertThat(refused.reason()).isEqualTo(Reason.BUSY);
      assertThat(refused).hasMessageContaining("process " + neighbour.pid() + " (sh: ");
      neighbour.run("cd /");
      assertThat(mounts.unmount(staging, ONCE).step()).isEqualTo(Step.PLAIN);
    }
  }

  private MountRecord record(MountPath path) {
    return table.find(path).orElseThrow();
  }
}
