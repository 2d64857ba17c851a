package io.csi4j.mount.internal.table;

import io.csi4j.mount.internal.kernel.Abi;
import io.csi4j.mount.internal.kernel.Syscalls;
import io.csi4j.mount.model.MountPath;
import java.util.Optional;

/**
 * The look by {@code openat2}, which refuses to enter a mount (Linux 5.6). The mount itself is
 * never touched.
 */
final class OpenLook implements PathLook {

  private static final long FLAGS = Abi.O_PATH | Abi.O_NOFOLLOW | Abi.O_CLOEXEC;

  private final Syscalls calls;
  private final VisibleMounts mounts;

  OpenLook(Syscalls calls, VisibleMounts mounts) {
    this.calls = calls;
    this.mounts = mounts;
  }

  @Override
  public Seen at(MountPath path) {
    return path.isRoot() ? mounts.root() : ParentDirectory.with(calls, path, in -> look(path, in));
  }

  private Seen look(MountPath path, ParentDirectory parent) {
    int opened = calls.openat2(parent.descriptor(), parent.name(), FLAGS, 0, Abi.RESOLVE_NO_XDEV);
    if (opened >= 0) {
      calls.close(opened);
      return Seen.NOT_A_MOUNT;
    }
    return opened == -Abi.EXDEV
        ? new Seen.Placed(parent.place(), Optional.empty())
        : LookErrors.seen(path, "openat2", opened);
  }
}
