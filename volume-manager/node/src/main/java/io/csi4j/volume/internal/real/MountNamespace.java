package io.csi4j.volume.internal.real;

import io.csi4j.mount.MountTable;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountIdentity;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountRecord;
import io.csi4j.mount.model.MountRef;
import java.util.Optional;

/**
 * The number of a mount namespace.
 *
 * <p>The inode alone says little: the kernel gives that of an ended namespace to the next one at
 * once. A new namespace has copies of all mounts, though, so the mount of its root directory tells
 * the two apart.
 */
final class MountNamespace {

  private MountNamespace() {}

  /** The number of the namespace that this table shows; 0 when it is not known. */
  static long of(MountTable table, long inode) {
    return of(root(table), inode);
  }

  /**
   * The number of a namespace.
   *
   * @param root what tells the mount of its root directory from others, if that is known
   * @param inode its inode; 0 when it is not known
   */
  static long of(Optional<MountIdentity> root, long inode) {
    if (root.isPresent() && root.get() instanceof MountIdentity.Unique unique) {
      return unique.id();
    }
    if (root.isPresent() && root.get() instanceof MountIdentity.Reusable reusable) {
      return inode << Integer.SIZE | Integer.toUnsignedLong(reusable.id());
    }
    return inode;
  }

  private static Optional<MountIdentity> root(MountTable table) {
    try {
      return table.find(MountPath.ROOT).map(MountRecord::ref).map(MountRef::identity);
    } catch (MountException e) {
      return Optional.empty();
    }
  }
}
