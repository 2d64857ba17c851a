package io.csi4j.mount.real;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.mount.RunningKernel;
import io.csi4j.mount.internal.kernel.Abi;
import io.csi4j.mount.internal.kernel.Feature;
import io.csi4j.mount.internal.kernel.KernelFeatures;
import io.csi4j.mount.internal.kernel.Syscalls;
import org.junit.jupiter.api.Test;

/** That the ground the other tests stand on is what they think it is. */
@MountTest
class HarnessTest {

  @Test
  void whatIsMountedHereIsSeenHere(Scratch scratch) {
    scratch.tmpfs("a b");

    assertThat(scratch.rows(scratch.path("a b"))).hasSize(1);
    assertThat(scratch.rows(scratch.root())).hasSize(1);
  }

  @Test
  void noMountOfATestIsSharedWithAnotherNamespace(Scratch scratch) {
    assertThat(scratch.rows(scratch.root())).noneMatch(row -> row.contains("shared:"));
  }

  @Test
  void aHiddenCallIsHiddenFromItsThreadOnly() throws Exception {
    Syscalls calls = RunningKernel.kernel().calls();

    KernelFeatures older =
        HiddenCalls.on(
            Abi.ENOSYS, () -> KernelFeatures.probe(calls), HiddenCalls.OPENAT2, HiddenCalls.STATX);

    assertThat(older.has(Feature.OPENAT2)).isFalse();
    assertThat(older.obstacle(Feature.STATX_MOUNT_ROOT))
        .contains("statx answers ENOSYS: the kernel is older, or a filter hides it");
    assertThat(KernelFeatures.probe(calls).has(Feature.OPENAT2)).isTrue();
  }
}
