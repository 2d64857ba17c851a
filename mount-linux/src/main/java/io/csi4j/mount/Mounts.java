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
 * The changes to what is mounted in the mount namespace of this process.
 *
 * <p>The kernel's calls are made on a small pool of daemon threads and waited for no longer than
 * {@link MountSettings#deadline()}: then, and when the waiting thread is interrupted, a {@link
 * MountException} says that the call is still in the kernel. A bind or mount that ends later is
 * undone; other changes may still take effect. {@link #stuckCalls()} counts them; when they fill
 * the pool, new calls are refused.
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

  /** The running kernel, with the settings that suit most. */
  static Mounts system() {
    return Host.systemMounts();
  }

  /** The running kernel, with a pool of its own and these settings. */
  static Mounts system(MountSettings settings) {
    return Host.system().mounts().apply(settings);
  }

  /**
   * Returns mounts for targets beneath a directory that no other can write to. Symbolic links in
   * its own path are followed; everything below is not, and nothing outside can be reached.
   */
  Mounts beneath(MountPath base);

  /**
   * Binds a directory or file to a second place. If an equal mount is there already, that is the
   * result; if anything else is mounted there, the refusal ({@link
   * MountException.Reason#TARGET_OCCUPIED}) names it. Equal is what shows the same directory or
   * file with the same flags, and with the propagation if one is asked for; mounts below are not
   * compared. What was deleted cannot be bound any more, not even through a mount of it that is
   * left. Of several threads that bind the same through this object, one makes the mount. A mount
   * that fails leaves nothing behind.
   */
  MountResult bind(BindRequest request);

  /**
   * Mounts a filesystem by its type. If the same type and source are mounted there already with the
   * same flags, that is the result; anything else that is mounted there is refused.
   */
  MountResult mount(FilesystemRequest request);

  /**
   * Forbids writing through the mount at this path, and through those below it if recursive. The
   * filesystem itself and its other mounts stay as they are.
   *
   * @throws MountException with {@link MountException.Reason#BUSY} while a file is open for writing
   */
  MountRef setReadOnly(MountPath path, boolean recursive);

  /** Sets with whom the mount at this path, and those below it if recursive, shares mounts. */
  void setPropagation(MountPath path, Propagation propagation, boolean recursive);

  /**
   * Takes away the mount on top at this path. If none is there, or the path is missing, nothing is
   * done. Of several threads that do it at once, one is told that it did.
   *
   * @throws MountException with {@link MountException.Reason#BUSY}, naming who holds it, if the
   *     policy ends before its use does
   */
  UnmountResult unmount(MountPath path, UnmountPolicy policy);

  /**
   * Takes away this mount and no other. If it is gone, nothing is done.
   *
   * @throws MountException with {@link MountException.Reason#TARGET_OCCUPIED} if another mount is
   *     at its path, or on top of it; with {@link MountException.Reason#NOT_A_MOUNT} if it was
   *     moved, saying where it is
   */
  UnmountResult unmount(MountRef ref, UnmountPolicy policy);

  /**
   * Takes away all that is mounted at this path, up to 64 mounts on top of each other, then the one
   * empty directory or file that is left. Nothing below it is ever deleted, nor is a file that has
   * content, or anything that no mount leaves behind, such as a socket ({@link
   * CleanupResult.Outcome#NOT_EMPTY}).
   *
   * <p>A directory or file on which only another mount namespace has a mount is removed like any
   * other: the kernel then takes that mount away there, which frees what a container has kept of a
   * volume by accident. What is in the mount stays. To spare such mounts, ask {@link #whoHolds}
   * before the last mount here is taken away.
   *
   * @throws MountException if it fails although nothing is mounted there any more; with {@link
   *     MountException.Reason#SYMLINK} for a symbolic link
   */
  CleanupResult cleanup(MountPath path, UnmountPolicy policy);

  /**
   * Opens the root of the mount on top at this path and holds it open, so that what is bound or
   * looked into later is this mount, whatever the path leads to by then. The path is walked like
   * any target: no link is followed. The caller closes it.
   *
   * @throws MountException with {@link MountException.Reason#NOT_A_MOUNT} if nothing is mounted
   *     there; with {@link MountException.Reason#UNSUPPORTED} for mounts in memory, which have no
   *     descriptors
   */
  OpenPath open(MountPath path);

  /**
   * Gives the files of the mount on top at this path to a user or group, as far as they are not
   * theirs already. Links are changed themselves and never followed, other mounts below are not
   * entered, and device nodes stay as they are. Nobody else may use the volume meanwhile. Asking
   * again after a crash, or after {@link OwnershipResult.Outcome#LIMIT}, goes on. The pass has a
   * thread of its own, which {@link #stuckCalls()} does not count, and takes {@link
   * FileOwnership#maxTime()} at the most.
   *
   * @param progress told every 10,000 files, on that thread; what it throws ends the pass
   * @throws MountException at the first file that cannot be changed, naming it; with {@link
   *     MountException.Reason#NOT_A_MOUNT} if nothing is mounted there; with {@link
   *     MountException.Reason#UNSUPPORTED} for mounts in memory, and before Linux 5.6
   */
  OwnershipResult setOwnership(
      MountPath path, FileOwnership wish, Consumer<? super OwnershipResult> progress);

  /**
   * Searches for all who keep this mount in use, here and in other mount namespaces. Of a mount
   * that is gone from the table, also by a lazy unmount, none is found.
   */
  Holders whoHolds(MountRef ref);

  /** How many calls ran past their deadline and have not come back from the kernel. */
  int stuckCalls();
}
