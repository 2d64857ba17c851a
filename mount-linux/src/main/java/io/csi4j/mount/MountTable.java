package io.csi4j.mount;

import io.csi4j.mount.model.DeviceId;
import io.csi4j.mount.model.KernelText;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountProbe;
import io.csi4j.mount.model.MountRecord;
import io.csi4j.mount.model.MountRef;
import io.csi4j.mount.model.MountSnapshot;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Predicate;

/**
 * Reads the mounts in the mount namespace of this process.
 *
 * <p>All calls run on the calling thread, without a deadline. None waits for the filesystem of the
 * mount that it examines, so dead and hung mounts can be examined. A call with a path walks through
 * the parent directories, though, and hangs if one of them is in a hung filesystem: {@link #probe},
 * {@link #find} and {@link #check}. {@link #list()} and {@link #children} walk no path.
 *
 * <p>Every method throws {@link MountException}: {@link MountException.Reason#NOT_LINUX} without a
 * Linux kernel, {@link MountException.Reason#NO_NATIVE_ACCESS} if the native library is needed and
 * cannot be loaded ({@link #list()} does not need it), {@link MountException.Reason#NO_MOUNT_TABLE}
 * without {@code /proc}.
 *
 * <pre>{@code
 * MountTable table = MountTable.system();
 * for (MountRecord mount : table.list().records()) {
 *   log.accept(mount.path() + " shows " + mount.source());
 * }
 * log.accept(table.probe(path)); // a mount, no mount, or a dead one: never waits for its server
 * }</pre>
 *
 * @since 1.0
 */
public interface MountTable {

  /** Returns the table of the running kernel. */
  static MountTable system() {
    return Host.system().table();
  }

  /**
   * Examines a path. Symbolic links in the middle of the path are followed, one at its end is not.
   * A directory to which this process has no access is looked up in the table by its text. The
   * returned reference has the given path.
   *
   * <p>The call walks through the parent directories, and hangs if one of them is in a hung
   * filesystem. It never waits for a mount at the path itself.
   *
   * @throws MountException if the path is too long, has too many symbolic links, or is not
   *     accessible to this user ({@link MountException.Reason#NOT_PERMITTED})
   */
  MountProbe probe(MountPath path);

  /** Returns all that is known about the mount on top at this path; empty if there is none. */
  Optional<MountRecord> find(MountPath path);

  /**
   * Returns the mount in which a path is, at its root or below it; empty if nothing exists at the
   * path, or if the mounts of this kernel have no numbers that no other mount gets (before Linux
   * 6.8). Symbolic links are followed as in {@link #probe}. A mount that is made over the path or
   * over a directory above it changes the answer, so one look shows whether there is any.
   *
   * <p>The call walks through the parent directories, and hangs if one of them is in a hung
   * filesystem.
   *
   * @throws MountException if the path cannot be examined
   */
  default Optional<MountRef.Identity> mountOf(MountPath path) {
    return Optional.empty();
  }

  /** Returns every mount. */
  MountSnapshot list();

  /** Returns every mount that matches; {@link MountSnapshot#refresh} uses the same filter. */
  MountSnapshot list(Predicate<MountRecord> filter);

  /**
   * Returns every mount that another process sees, in any mount namespace, with its paths. The
   * mounts of a peer group have its number in all namespaces, and a mount has the same {@link
   * MountRecord#id()} in all of them; the references cannot be used for anything else in this
   * process.
   *
   * @param process its number, as this process sees it
   * @throws MountException with {@link MountException.Reason#NO_MOUNT_TABLE} if it has ended, or if
   *     this process may not read its files
   */
  MountSnapshot listOf(long process);

  /** Returns the present state of the mount that this reference was taken from. */
  MountRef.Check check(MountRef ref);

  /** Returns the mounts of one directory or file of one filesystem, at any path. */
  default List<MountRecord> refs(DeviceId device, KernelText root) {
    return list().refs(device, root);
  }

  /**
   * Returns the mounts that were made after this one and that match, in the order in which they
   * were made; none if it is gone. If the kernel numbers its mounts (Linux 6.8), the cost depends
   * on the number of new mounts, not of all mounts.
   */
  default List<MountRecord> newer(MountRef than, Predicate<MountRecord> filter) {
    return list().newer(than).stream().filter(filter).toList();
  }

  /**
   * Returns the group from which a mount receives mounts if this process cannot see its master: the
   * nearest master of that master with a member that the process can see ({@code propagate_from} in
   * the kernel's table). Empty if the master is visible, if there is no such group, or if the mount
   * is gone.
   *
   * <p>No {@link MountRecord} contains it, because the kernel walks along all peers of the master
   * to find it: in a slave mount namespace, reading it for every mount would cost the square of the
   * number of mounts. The answer is of the present moment, not of the snapshot that the reference
   * comes from.
   */
  OptionalInt propagateFrom(MountRef ref);

  /** Returns the mounts that are directly on this one; none if it is gone. */
  List<MountRecord> children(MountRef ref);
}
