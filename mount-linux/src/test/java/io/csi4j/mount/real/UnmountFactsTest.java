package io.csi4j.mount.real;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.mount.RunningKernel;
import io.csi4j.mount.internal.kernel.Abi;
import io.csi4j.mount.internal.kernel.Syscalls;
import io.csi4j.mount.model.MountPath;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the kernel answers when something is unmounted or deleted: the ground of cases U and C. */
@MountTest
class UnmountFactsTest {

  private static final int NOFOLLOW = Abi.UMOUNT_NOFOLLOW;

  private final Syscalls calls = RunningKernel.kernel().calls();

  @Test
  void whatIsNoMountIsAnInvalidArgument(Scratch scratch) {
    assertThat(scratch.rawUnmount(scratch.directory("d"), NOFOLLOW)).isEqualTo(-Abi.EINVAL);
    assertThat(scratch.rawUnmount(scratch.file("f", ""), NOFOLLOW)).isEqualTo(-Abi.EINVAL);
    assertThat(scratch.rawUnmount(scratch.path("missing"), NOFOLLOW)).isEqualTo(-Abi.ENOENT);
    assertThat(scratch.rawUnmount(scratch.path("f/below"), NOFOLLOW)).isEqualTo(-Abi.ENOTDIR);
  }

  @Test
  void aLinkIsNotFollowedUnlessASlashIsBehindIt(Scratch scratch) throws Exception {
    MountPath mount = scratch.tmpfs("v");
    Files.createSymbolicLink(scratch.file("link"), scratch.file("v"));

    assertThat(unmount(scratch.path("link").toString(), NOFOLLOW)).isEqualTo(-Abi.EINVAL);
    assertThat(scratch.rows(mount)).hasSize(1);

    assertThat(unmount(scratch.path("link") + "/", NOFOLLOW)).isZero();
    assertThat(scratch.rows(mount)).isEmpty();
  }

  @Test
  void aDescriptorOfTheMountItselfUnmountsLazilyOnly(Scratch scratch) {
    MountPath mount = scratch.tmpfs("v");
    try (Open open = Open.path(mount)) {
      assertThat(unmount(open.link(), 0)).isEqualTo(-Abi.EBUSY);
      assertThat(unmount(open.link(), NOFOLLOW)).isEqualTo(-Abi.EINVAL);
      assertThat(unmount(open.link(), Abi.MNT_DETACH)).isZero();
    }
    assertThat(scratch.rows(mount)).isEmpty();
  }

  @Test
  void theDescriptorOfTheDirectoryAboveUnmounts(Scratch scratch) {
    MountPath mount = scratch.tmpfs("v");
    try (Open above = Open.path(scratch.root())) {
      assertThat(unmount(above.link() + "/v", NOFOLLOW)).isZero();
    }
    assertThat(scratch.rows(mount)).isEmpty();
  }

  @Test
  void whateverIsOpenInItKeepsItBusy(Scratch scratch) {
    MountPath mount = scratch.tmpfs("v");
    scratch.file("v/f", "");
    try (Open file = Open.reading(scratch.path("v/f"))) {
      assertThat(scratch.rawUnmount(mount, NOFOLLOW)).isEqualTo(-Abi.EBUSY);
    }
    try (Open path = Open.path(mount)) {
      assertThat(scratch.rawUnmount(mount, NOFOLLOW)).isEqualTo(-Abi.EBUSY);
    }
    scratch.tmpfs("v/child");
    assertThat(scratch.rawUnmount(mount, NOFOLLOW)).isEqualTo(-Abi.EBUSY);
    assertThat(scratch.rawUnmount(scratch.path("v/child"), NOFOLLOW)).isZero();
    try (Neighbour neighbour = Neighbour.here()) {
      neighbour.run("cd " + mount);
      assertThat(scratch.rawUnmount(mount, NOFOLLOW)).isEqualTo(-Abi.EBUSY);
      neighbour.run("cd /");
      assertThat(scratch.rawUnmount(mount, NOFOLLOW)).isZero();
    }
  }

  @Test
  void aFileThatIsOpenInAPeerKeepsItBusyHere(Scratch scratch) {
    scratch.rawMount("none", scratch.file(""), "none", Abi.MS_SHARED, null);
    MountPath mount = scratch.tmpfs("v");
    scratch.file("v/f", "");
    for (String propagation : List.of("unchanged", "slave")) {
      try (Neighbour neighbour = Neighbour.elsewhere(propagation)) {
        neighbour.run("exec 3<" + scratch.path("v/f"));
        assertThat(scratch.rawUnmount(mount, NOFOLLOW)).as(propagation).isEqualTo(-Abi.EBUSY);
      }
    }
    assertThat(scratch.rawUnmount(mount, NOFOLLOW)).isZero();
  }

  @Test
  void aPrivateCopyElsewhereLivesOn(Scratch scratch) {
    MountPath mount = scratch.tmpfs("v");
    scratch.file("v/f", "kept");
    try (Neighbour neighbour = Neighbour.elsewhere("private")) {
      neighbour.run("exec 3<" + scratch.path("v/f"));

      assertThat(scratch.rawUnmount(mount, NOFOLLOW)).isZero();
      assertThat(scratch.rows(mount)).isEmpty();
      assertThat(neighbour.run("cat " + scratch.path("v/f") + "; echo")).containsExactly("kept");
    }
  }

  @Test
  void lazilyGoesWithAllBelowItAndOneLevelOfAStack(Scratch scratch) {
    MountPath mount = scratch.tmpfs("v");
    scratch.tmpfs("v");
    scratch.tmpfs("v/child");
    try (Open path = Open.path(scratch.path("v/child"))) {
      assertThat(scratch.rawUnmount(mount, Abi.MNT_DETACH | NOFOLLOW)).isZero();
    }
    assertThat(scratch.rows(mount)).hasSize(1);
    assertThat(scratch.rows(scratch.path("v/child"))).isEmpty();
  }

  @Test
  void expiryTakesTwoCallsAndNoOtherFlag(Scratch scratch) {
    MountPath mount = scratch.tmpfs("v");
    assertThat(scratch.rawUnmount(mount, Abi.MNT_EXPIRE | Abi.MNT_DETACH)).isEqualTo(-Abi.EINVAL);
    assertThat(scratch.rawUnmount(mount, Abi.MNT_EXPIRE | Abi.MNT_FORCE)).isEqualTo(-Abi.EINVAL);
    assertThat(scratch.rawUnmount(mount, Abi.MNT_EXPIRE)).isEqualTo(-Abi.EAGAIN);
    assertThat(scratch.rawUnmount(mount, Abi.MNT_EXPIRE)).isZero();
  }

  @Test
  void aMountPointIsNotDeletedOrRenamed(Scratch scratch) {
    MountPath mount = scratch.tmpfs("v");
    MountPath file = scratch.file("f", "");
    scratch.bind(scratch.file("source", ""), file);

    assertThat(calls.unlinkat(Abi.AT_FDCWD, Abi.path(mount), Abi.AT_REMOVEDIR))
        .isEqualTo(-Abi.EBUSY);
    assertThat(calls.unlinkat(Abi.AT_FDCWD, Abi.path(file), 0)).isEqualTo(-Abi.EBUSY);
    assertThatThrownBy(() -> Files.move(scratch.file("v"), scratch.file("w")))
        .isInstanceOf(FileSystemException.class)
        .hasMessageContaining("busy");
  }

  @Test
  void aMountPointOfAnotherNamespaceAloneIsDeletedAndUnmountedThere(Scratch scratch) {
    MountPath directory = scratch.directory("v");
    MountPath file = scratch.file("f", "");
    MountPath source = scratch.file("source", "");
    try (Neighbour neighbour = Neighbour.elsewhere("private")) {
      neighbour.run("mount -t tmpfs there " + directory);
      neighbour.run("mount --bind " + source + " " + file);
      assertThat(neighbour.rows()).anyMatch(row -> row.contains(" " + directory + " "));
      assertThat(neighbour.rows()).anyMatch(row -> row.contains(" " + file + " "));

      assertThat(calls.unlinkat(Abi.AT_FDCWD, Abi.path(directory), Abi.AT_REMOVEDIR)).isZero();
      assertThat(calls.unlinkat(Abi.AT_FDCWD, Abi.path(file), 0)).isZero();

      assertThat(neighbour.rows()).noneMatch(row -> row.contains(" " + directory));
      assertThat(neighbour.rows()).noneMatch(row -> row.contains(" " + file));
    }
  }

  @Test
  void deletingOnOneFilesystemDeletesTheDataBehindABindOfTheSame(Scratch scratch) {
    scratch.file("data/f", "lost");
    MountPath target = scratch.directory("workload/volume");
    scratch.bind(scratch.path("data"), target);
    try (Neighbour neighbour = Neighbour.here()) {
      neighbour.run("rm -rf --one-file-system " + scratch.path("workload") + " 2>/dev/null");
    }
    assertThat(scratch.file("data").toFile().list()).isEmpty();
  }

  private int unmount(String path, int flags) {
    return calls.umount2(Abi.path(path), flags);
  }
}
