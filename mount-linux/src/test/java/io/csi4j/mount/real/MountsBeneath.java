package io.csi4j.mount.real;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.csi4j.mount.internal.kernel.Abi;
import io.csi4j.mount.internal.kernel.Syscalls;

/** Mounts that are put beneath others, which Linux can since 6.5. */
public final class MountsBeneath {

  /** Of {@code move_mount}. */
  public static final int FLAG = 0x200;

  private MountsBeneath() {}

  /** Skips the test where the kernel cannot: it does not know the flag, whatever is to be moved. */
  public static void assumed(Syscalls calls) {
    int both = Abi.MOVE_MOUNT_F_EMPTY_PATH | Abi.MOVE_MOUNT_T_EMPTY_PATH;
    int answer = calls.moveMount(-1, Abi.emptyPath(), -1, Abi.emptyPath(), both | FLAG);
    assumeTrue(answer != -Abi.EINVAL, "mounts are put beneath others since Linux 6.5");
  }
}
