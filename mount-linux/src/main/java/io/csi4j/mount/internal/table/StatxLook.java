package io.csi4j.mount.internal.table;

import io.csi4j.mount.internal.kernel.Abi;
import io.csi4j.mount.internal.kernel.Kernel;
import io.csi4j.mount.internal.kernel.MountLook;
import io.csi4j.mount.internal.kernel.Syscalls;
import io.csi4j.mount.model.MountHealth;
import io.csi4j.mount.model.MountPath;
import java.util.Optional;

/**
 * The look by one {@code statx}, which says whether the path is the root of a mount, and of which
 * (Linux 5.8). It asks for what is known without the server, so that a hung one does not matter; an
 * error leaves the decision to an older way, which does not look into the mount.
 */
final class StatxLook implements PathLook {

  private static final int FLAGS =
      Abi.AT_SYMLINK_NOFOLLOW | Abi.AT_NO_AUTOMOUNT | Abi.AT_STATX_DONT_SYNC;

  private final Syscalls calls;
  private final boolean unique;
  private final int mask;
  private final PathLook doubtful;

  StatxLook(Kernel kernel, PathLook doubtful) {
    this.calls = kernel.calls();
    this.unique = kernel.features().hasUniqueIds();
    this.mask = Abi.STATX_TYPE | (unique ? Abi.STATX_MNT_ID_UNIQUE : Abi.STATX_MNT_ID);
    this.doubtful = doubtful;
  }

  @Override
  public Seen at(MountPath path) {
    MountLook out = new MountLook();
    int result = calls.statx(path, FLAGS, mask, out);
    if (result < 0) {
      Seen seen = LookErrors.seen(path, "statx", result);
      return seen instanceof Seen.OutOfReach ? withoutLookingInto(path, result) : seen;
    }
    if (!out.knowsRoots()) {
      return doubtful.at(path);
    }
    return out.isRoot()
        ? new Seen.Numbered(out.mount(), unique, Optional.empty())
        : Seen.NOT_A_MOUNT;
  }

  private Seen withoutLookingInto(MountPath path, int result) {
    Seen seen = doubtful.at(path);
    Optional<MountHealth> told = Optional.of(LookErrors.health(result));
    if (seen instanceof Seen.Numbered mount) {
      return new Seen.Numbered(mount.id(), mount.isUnique(), told);
    }
    return seen instanceof Seen.Placed mount ? new Seen.Placed(mount.place(), told) : seen;
  }
}
