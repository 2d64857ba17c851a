package io.csi4j.mount;

import io.csi4j.mount.model.BindRequest;
import io.csi4j.mount.model.CleanupResult;
import io.csi4j.mount.model.FileOwnership;
import io.csi4j.mount.model.FilesystemRequest;
import io.csi4j.mount.model.Holders;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountRef;
import io.csi4j.mount.model.MountResult;
import io.csi4j.mount.model.MountSettings;
import io.csi4j.mount.model.OpenPath;
import io.csi4j.mount.model.OwnershipResult;
import io.csi4j.mount.model.Propagation;
import io.csi4j.mount.model.UnmountPolicy;
import io.csi4j.mount.model.UnmountResult;
import java.util.function.Consumer;

/**
 * Changes the mounts in the mount namespace of this process.
 *
 * <p>The kernel's calls run on a small pool of daemon threads, and a caller waits no longer than
 * {@link MountSettings#deadline()}. After that, and when the waiting thread is interrupted, a
 * {@link MountException} reports that the call is still in the kernel. A bind or mount that ends
 * later is undone; other changes may still take effect. {@link #stuckCalls()} counts such calls;
 * when they fill the pool, new calls are refused.
 *
 * <p>No part of a target is followed if it is a symbolic link ({@link
 * MountException.Reason#SYMLINK}), except in the directory that {@link #beneath} names as trusted.
 * Every failure is a {@link MountException}.
 *
 * <pre>{@code
 * Mounts mounts = Mounts.system();
 * MountResult bound = mounts.bind(BindRequest.builder(volume, target).createTarget(true).build());
 * mounts.unmount(bound.ref(), UnmountPolicy.PLAIN);
 * }</pre>
 *
 * @since 1.0
 */
public interface Mounts {

  /** Returns the mounts of the running kernel, with the default settings. */
  static Mounts system() {
    return Host.systemMounts();
  }

  /** Returns the mounts of the running kernel, with these settings and a separate pool. */
  static Mounts system(MountSettings settings) {
    return Host.system().mounts().apply(settings);
  }

  /**
   * Returns mounts for targets beneath a directory that no other user can write to. Symbolic links
   * in the path of that directory are followed; links below it are not, and no path leads outside.
   */
  Mounts beneath(MountPath base);

  /**
   * Binds a directory or file to a second path. If an equal mount is there already, that is the
   * result; if another mount is there, the refusal ({@link MountException.Reason#TARGET_OCCUPIED})
   * names it. A mount is equal if it shows the same directory or file with the same flags, and with
   * the requested propagation if there is one; mounts below it are not compared. A deleted
   * directory or file cannot be bound any more, not even through a remaining mount of it. If
   * several threads bind the same through this object, one of them makes the mount. A mount that
   * fails leaves nothing behind.
   */
  MountResult bind(BindRequest request);

  /**
   * Mounts a filesystem by its type. If the same type and source are mounted there already with the
   * same flags, that is the result; if anything else is mounted there, the request is refused.
   */
  MountResult mount(FilesystemRequest request);

  /**
   * Forbids writing through the mount at this path, and through those below it if recursive. The
   * filesystem itself and its other mounts do not change.
   *
   * @throws MountException with {@link MountException.Reason#BUSY} while a file is open for writing
   */
  MountRef setReadOnly(MountPath path, boolean recursive);

  /** Sets the propagation of the mount at this path, and of those below it if recursive. */
  void setPropagation(MountPath path, Propagation propagation, boolean recursive);

  /**
   * Unmounts the mount on top at this path. Does nothing if there is none, or if the path is
   * missing. If several threads unmount at once, one of them gets the result that it did.
   *
   * @throws MountException with {@link MountException.Reason#BUSY}, naming the holders, if the
   *     mount is still in use when the policy ends
   */
  UnmountResult unmount(MountPath path, UnmountPolicy policy);

  /**
   * Unmounts this mount and no other. Does nothing if it is gone.
   *
   * @throws MountException with {@link MountException.Reason#TARGET_OCCUPIED} if another mount is
   *     at its path, or on top of it; with {@link MountException.Reason#NOT_A_MOUNT} if it was
   *     moved, with its present path
   */
  UnmountResult unmount(MountRef ref, UnmountPolicy policy);

  /**
   * Unmounts all mounts at this path, up to 64 on top of each other, then removes the one empty
   * directory or file that is left. Never deletes anything below it, a file with content, or
   * anything that no mount leaves behind, such as a socket ({@link
   * CleanupResult.Outcome#NOT_EMPTY}).
   *
   * <p>A directory or file on which only another mount namespace has a mount is removed like any
   * other: the kernel then unmounts it there, which releases a volume that a container has kept by
   * accident. The content of the mount stays. To keep such mounts, call {@link #whoHolds} before
   * the last mount here is unmounted.
   *
   * @throws MountException if the removal fails after the unmounts; with {@link
   *     MountException.Reason#SYMLINK} for a symbolic link
   */
  CleanupResult cleanup(MountPath path, UnmountPolicy policy);

  /**
   * Opens the root of the mount on top at this path and holds it open, so that later operations use
   * this mount, even if the path leads to another one by then. As for any target, no link in the
   * path is followed. The caller closes the result.
   *
   * @throws MountException with {@link MountException.Reason#NOT_A_MOUNT} if nothing is mounted
   *     there; with {@link MountException.Reason#UNSUPPORTED} for mounts in memory, which have no
   *     descriptors
   */
  OpenPath open(MountPath path);

  /**
   * Changes the owner of the files of the mount on top at this path to a user or group, unless they
   * have that owner already. Links themselves are changed and never followed, other mounts below
   * are not entered, and device nodes are not changed. No other program may use the volume
   * meanwhile. A repeated call after a crash, or after {@link OwnershipResult.Outcome#LIMIT},
   * continues. The pass has its own thread, which {@link #stuckCalls()} does not count, and takes
   * at most {@link FileOwnership#maxTime()}.
   *
   * @param progress called every 10,000 files, on that thread; an exception ends the pass
   * @throws MountException at the first file that cannot be changed, naming it; with {@link
   *     MountException.Reason#NOT_A_MOUNT} if nothing is mounted there; with {@link
   *     MountException.Reason#UNSUPPORTED} for mounts in memory, and before Linux 5.6
   */
  OwnershipResult setOwnership(
      MountPath path, FileOwnership wish, Consumer<? super OwnershipResult> progress);

  /**
   * Searches for all holders that keep this mount in use, here and in other mount namespaces.
   * Returns none for a mount that is no longer in the table, for example after a lazy unmount.
   */
  Holders whoHolds(MountRef ref);

  /**
   * Returns the number of calls that passed their deadline and have not returned from the kernel.
   */
  int stuckCalls();
}
