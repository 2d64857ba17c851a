package io.csi4j.volume.internal.real;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.mount.model.DeviceId;
import io.csi4j.mount.model.KernelText;
import io.csi4j.mount.model.MountRef;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What tells one mount namespace from another. */
class MountNamespaceTest {

  private static final long INODE = 4_026_532_177L;

  private static long number(MountRef.Identity root, long inode) {
    return SystemKernelMounts.namespace(Optional.of(root), inode);
  }

  private static MountRef.Identity unique(long id) {
    return new MountRef.Identity.Unique(id);
  }

  private static MountRef.Identity reusable(int id) {
    return new MountRef.Identity.Reusable(id, new DeviceId(8, 1), KernelText.of("/"));
  }

  @Test
  @Tag("A25")
  void namespacesOfOneInodeAreToldApartByTheirRootMounts() {
    assertThat(number(unique(1L << 31 | 7), INODE))
        .as("A25: a namespace that got the inode of an ended one is another")
        .isEqualTo(number(unique(1L << 31 | 7), INODE))
        .isNotEqualTo(number(unique(1L << 31 | 8), INODE));
  }

  @Test
  void withoutUniqueNumbersBothTheInodeAndTheRootMountTellThemApart() {
    assertThat(number(reusable(22), INODE))
        .isEqualTo(number(reusable(22), INODE))
        .isNotEqualTo(number(reusable(23), INODE))
        .isNotEqualTo(number(reusable(22), INODE + 1))
        .isNotEqualTo(INODE);
  }

  @Test
  void whereTheTableCannotBeReadTheInodeIsAllThereIs() {
    assertThat(SystemKernelMounts.namespace(Optional.empty(), INODE)).isEqualTo(INODE);
    assertThat(SystemKernelMounts.namespace(Optional.empty(), 0)).isZero();
  }
}
