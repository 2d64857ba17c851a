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
 * The mounts of the namespace that this process is in: pure reading.
 *
 * <p>All calls are made on the thread that asks, without a deadline. None waits for the filesystem
 * of the mount that it is about, so dead and hung mounts can be asked about. A call that is given a
 * path walks through the directories above it, though, and hangs if one of those is in a hung
 * filesystem: {@link #probe}, {@link #find} and {@link #check}. {@link #list()} and {@link
 * #children} walk along no path.
 *
 * <p>Every method throws {@link MountException}: {@link MountException.Reason#NOT_LINUX} where
 * there is no Linux kernel, {@link MountException.Reason#NO_NATIVE_ACCESS} where the native library
 * cannot be loaded and is needed ({@link #list()} does without), {@link
 * MountException.Reason#NO_MOUNT_TABLE} where {@code /proc} is not there.
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

  /** The table of the running kernel. */
  static MountTable system() {
    return Host.system().table();
  }

  /**
   * Looks at a path. Symbolic links in the middle of the path are followed, one at its end is not.
   * A directory to which this process has no access is looked up in the table by its text. The
   * reference has the path that was asked for.
   *
   * <p>The directories above the path are walked through; if one of them is in a hung filesystem,
   * the call hangs too. A mount at the path itself is never waited for.
   *
   * @throws MountException if the path is too long, has too many symbolic links, or is out of reach
   *     for this user ({@link MountException.Reason#NOT_PERMITTED})
   */
  MountProbe probe(MountPath path);

  /** All that is known of the mount on top at this path, or nothing if there is none. */
  Optional<MountRecord> find(MountPath path);

  /** Every mount. */
  MountSnapshot list();

  /** Every mount that this accepts; {@link MountSnapshot#refresh} accepts the same. */
  MountSnapshot list(Predicate<MountRecord> filter);

  /**
   * Returns every mount that another process sees, in any mount namespace, with the paths that it
   * has for them. Mounts of one peer group have its number in all namespaces, and one mount has one
   * {@link MountRecord#id()}; the references serve for nothing else here.
   *
   * @param process its number, as this process sees it
   * @throws MountException with {@link MountException.Reason#NO_MOUNT_TABLE} if it has ended, or if
   *     this process may not look into it
   */
  MountSnapshot listOf(long process);

  /** Returns the fate of the mount that this reference was taken of. */
  MountRef.Check check(MountRef ref);

  /** The mounts of one directory or file of one filesystem, wherever they are. */
  default List<MountRecord> refs(DeviceId device, KernelText root) {
    return list().refs(device, root);
  }

  /**
   * Returns the mounts that were made after this one and that this accepts, in the order in which
   * they were made; none if it is gone. Where the kernel numbers its mounts (Linux 6.8), this costs
   * what came since, and not what is mounted in all.
   */
  default List<MountRecord> newer(MountRef than, Predicate<MountRecord> filter) {
    return list().newer(than).stream().filter(filter).toList();
  }

  /**
   * Returns the group from which mounts reach a mount whose master this process cannot see: the
   * nearest one above that has a member in its view ({@code propagate_from} in the kernel's table).
   * Nothing if the master can be seen, if there is no such group, or if the mount is gone.
   *
   * <p>No {@link MountRecord} has it, since the kernel walks along all peers of the master for it:
   * in a slave mount namespace, reading it of each mount costs as many steps as there are mounts,
   * for each of them. The answer is that of the moment, and not of the snapshot that the reference
   * comes from.
   */
  OptionalInt propagateFrom(MountRef ref);

  /** The mounts that are directly on this one; none if it is gone. */
  List<MountRecord> children(MountRef ref);
}
