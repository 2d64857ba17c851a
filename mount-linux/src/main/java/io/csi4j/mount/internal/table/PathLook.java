package io.csi4j.mount.internal.table;

import io.csi4j.mount.internal.kernel.Abi;
import io.csi4j.mount.internal.kernel.ErrnoMeaning;
import io.csi4j.mount.internal.kernel.Feature;
import io.csi4j.mount.internal.kernel.Kernel;
import io.csi4j.mount.internal.kernel.MountLook;
import io.csi4j.mount.internal.kernel.Syscalls;
import io.csi4j.mount.internal.proc.ProcFiles;
import io.csi4j.mount.internal.text.PrintableText;
import io.csi4j.mount.model.Errno;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountException.Reason;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountProbe;
import io.csi4j.mount.model.MountRef;
import java.io.IOException;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * Determines what is at a path, with the best method of the kernel. Every method follows symbolic
 * links in the middle of the path and none at its end. The mask of {@code statx} is minimal, as any
 * further attribute could be requested from a server; devices are not compared, as a bind has the
 * device of its source.
 */
final class PathLook {

  private static final int STATX_FLAGS =
      Abi.AT_SYMLINK_NOFOLLOW | Abi.AT_NO_AUTOMOUNT | Abi.AT_STATX_DONT_SYNC;
  private static final int OPEN_FLAGS = Abi.O_PATH | Abi.O_NOFOLLOW | Abi.O_CLOEXEC;
  private static final int DIRECTORY_FLAGS = Abi.O_PATH | Abi.O_DIRECTORY | Abi.O_CLOEXEC;

  private final Syscalls calls;
  private final TableReader mounts;
  private final BooleanSupplier careful;
  private final boolean statx;
  private final boolean openat2;
  private final boolean unique;
  private final int statxMask;

  /**
   * Creates a look on this kernel.
   *
   * @param mounts the table, if a method needs it
   * @param careful returns whether there is a filesystem whose server may be called by entering its
   *     mount; then mounts are detected without entering them
   */
  PathLook(Kernel kernel, TableReader mounts, BooleanSupplier careful) {
    this.calls = kernel.calls();
    this.mounts = mounts;
    this.careful = careful;
    this.statx = kernel.features().has(Feature.STATX_MOUNT_ROOT);
    this.openat2 = kernel.features().has(Feature.OPENAT2);
    this.unique = kernel.features().hasUniqueIds();
    this.statxMask = Abi.STATX_TYPE | (unique ? Abi.STATX_MNT_ID_UNIQUE : Abi.STATX_MNT_ID);
  }

  /** The result of a look at a path, before the mount's record is read. */
  sealed interface Seen {

    /** Returns the health of the mount at the path as the kernel reported it, if it did. */
    default Optional<MountProbe.Health> told() {
      return Optional.empty();
    }

    /**
     * A mount with a known number.
     *
     * @param id the number
     * @param isUnique whether no other mount gets the number
     * @param told the health that the kernel reported, if it did
     */
    record Numbered(long id, boolean isUnique, Optional<MountProbe.Health> told) implements Seen {}

    /**
     * A mount that is known by its path and was not accessed.
     *
     * @param place its path without symbolic links
     * @param told the health that the kernel reported, if it did
     */
    record Placed(MountPath place, Optional<MountProbe.Health> told) implements Seen {}

    /**
     * A path that the kernel does not walk to its end, so that only the table shows what is there.
     *
     * @param syscall the call that failed
     * @param result its result: the negative error number
     */
    record OutOfReach(String syscall, int result) implements Seen {
      @Override
      public Optional<MountProbe.Health> told() {
        return Optional.of(health(result));
      }
    }
  }

  /** A path without a mount. */
  enum Unmounted implements Seen {
    /** Nothing exists at the path. */
    MISSING,
    /** Something exists at the path, and nothing is mounted on it. */
    NOT_A_MOUNT
  }

  /**
   * Returns what is at the path.
   *
   * @throws MountException if the path has too many links, is too long, or a limit is reached
   */
  Seen at(MountPath path) {
    if (!careful.getAsBoolean()) {
      return statx ? byStatx(path) : byOpening(path);
    }
    return openat2 ? byOpening(path) : byTable(path);
  }

  /**
   * Returns the mount in which a path is; empty if nothing exists there, or if mounts have no
   * unique numbers or must not be entered.
   *
   * @throws MountException if the kernel does not walk the path to its end
   */
  Optional<MountRef.Identity> mountOf(MountPath path) {
    if (!unique || !statx || careful.getAsBoolean()) {
      return Optional.empty();
    }
    MountLook out = new MountLook();
    int result = calls.statx(path, STATX_FLAGS, statxMask, out);
    if (result == -Abi.ENOENT || result == -Abi.ENOTDIR) {
      return Optional.empty();
    }
    if (result < 0) {
      throw failure(path, "statx", result);
    }
    return Optional.of(new MountRef.Identity.Unique(out.mount()));
  }

  /**
   * Looks with one {@code statx}, which reports whether the path is the root of a mount, and of
   * which (Linux 5.8). It requests only data that is known without the server, so a hung server
   * does not matter; after an error an older method decides, which does not enter the mount.
   */
  private Seen byStatx(MountPath path) {
    MountLook out = new MountLook();
    int result = calls.statx(path, STATX_FLAGS, statxMask, out);
    if (result < 0) {
      Seen seen = unseen(path, "statx", result);
      return seen instanceof Seen.OutOfReach ? withoutLookingInto(path, result) : seen;
    }
    if (!out.knowsRoots()) {
      return byOpening(path);
    }
    return out.isRoot()
        ? new Seen.Numbered(out.mount(), unique, Optional.empty())
        : Unmounted.NOT_A_MOUNT;
  }

  private Seen withoutLookingInto(MountPath path, int result) {
    Seen seen = byOpening(path);
    Optional<MountProbe.Health> told = Optional.of(health(result));
    if (seen instanceof Seen.Numbered mount) {
      return new Seen.Numbered(mount.id(), mount.isUnique(), told);
    }
    return seen instanceof Seen.Placed mount ? new Seen.Placed(mount.place(), told) : seen;
  }

  private Seen byOpening(MountPath path) {
    if (path.isRoot()) {
      // In some changed roots the root directory is not a mount.
      return mounts.at(MountPath.ROOT).isPresent()
          ? new Seen.Placed(MountPath.ROOT, Optional.empty())
          : Unmounted.NOT_A_MOUNT;
    }
    return inDirectory(path, openat2 ? this::byRefusal : this::byFdinfo);
  }

  /**
   * Looks at the table first, and at the path only if the table has no mount there. For kernels
   * without {@code openat2} that have filesystems whose mounts must not be entered.
   */
  private Seen byTable(MountPath path) {
    Seen seen =
        inDirectory(
            path, (same, directory) -> new Seen.Placed(place(path, directory), Optional.empty()));
    return seen instanceof Seen.Placed placed && mounts.at(placed.place()).isEmpty()
        ? byOpening(path)
        : seen;
  }

  /** A look from the parent directory; it does not access the path itself. */
  private interface FromDirectory {
    Seen look(MountPath path, int directory);
  }

  /** Returns the result of a look from the directory, which is opened with {@code O_PATH} only. */
  private Seen inDirectory(MountPath path, FromDirectory look) {
    int directory = calls.openat(Abi.AT_FDCWD, Abi.path(path.parent()), DIRECTORY_FLAGS, 0);
    if (directory < 0) {
      return unseen(path, "openat", directory);
    }
    try {
      return look.look(path, directory);
    } finally {
      calls.close(directory);
    }
  }

  /**
   * Looks with {@code openat2}, which refuses to enter a mount (Linux 5.6). The mount itself is
   * never accessed.
   */
  private Seen byRefusal(MountPath path, int directory) {
    int opened = calls.openat2(directory, name(path), OPEN_FLAGS, 0, Abi.RESOLVE_NO_XDEV);
    if (opened >= 0) {
      calls.close(opened);
      return Unmounted.NOT_A_MOUNT;
    }
    return opened == -Abi.EXDEV
        ? new Seen.Placed(place(path, directory), Optional.empty())
        : unseen(path, "openat2", opened);
  }

  /**
   * Compares the mount number of an open file with that of its parent directory (Linux 3.15).
   * Devices are not compared, because a bind mount has the device of its source.
   */
  private Seen byFdinfo(MountPath path, int directory) {
    int opened = calls.openat(directory, name(path), OPEN_FLAGS, 0);
    if (opened < 0) {
      return unseen(path, "openat", opened);
    }
    try {
      int id = ProcFiles.mountId("thread-self", opened);
      return id == ProcFiles.mountId("thread-self", directory)
          ? Unmounted.NOT_A_MOUNT
          : new Seen.Numbered(id, false, Optional.empty());
    } catch (IOException e) {
      throw MountException.builder(
              Reason.NO_MOUNT_TABLE,
              doing(path)
                  + " failed: /proc does not show its mount ("
                  + PrintableText.escape(String.valueOf(e.getMessage()))
                  + "). Check that proc is mounted at /proc, and that this process may open more "
                  + "files.")
          .target(path)
          .cause(e)
          .build();
    } finally {
      calls.close(opened);
    }
  }

  /** Returns the last part of the path, with a NUL at its end. */
  private static byte[] name(MountPath path) {
    byte[] bare = path.name();
    return Arrays.copyOf(bare, bare.length + 1);
  }

  /** Returns the path without symbolic links, as the kernel's table has it. */
  private MountPath place(MountPath path, int directory) {
    if (path.isRoot()) {
      return path;
    }
    byte[] parent = new byte[Abi.PATH_MAX];
    byte[] link = Abi.path("/proc/thread-self/fd/" + directory);
    int length = calls.readlinkat(Abi.AT_FDCWD, link, parent);
    byte[] name = path.name();
    if (length <= 0 || parent[0] != '/' || length + 1 + name.length >= parent.length) {
      return path;
    }
    byte[] joined = Arrays.copyOf(parent, length + 1 + name.length);
    joined[length] = '/';
    System.arraycopy(name, 0, joined, length + 1, name.length);
    return MountPath.ofBytes(joined);
  }

  /**
   * Returns what an error says about the path.
   *
   * @throws MountException if it says nothing
   */
  private static Seen unseen(MountPath path, String syscall, int result) {
    return switch (-result) {
      case Abi.ENOENT, Abi.ENOTDIR -> Unmounted.MISSING;
      case Abi.ELOOP ->
          throw MountException.builder(
                  Reason.SYMLINK,
                  doing(path)
                      + " failed: its symbolic links form a loop, or there are more than 40."
                      + " Name the path without them.")
              .syscall(syscall, new Errno(-result))
              .target(path)
              .build();
      case Abi.ENAMETOOLONG, Abi.EMFILE, Abi.ENFILE, Abi.ENOMEM ->
          throw failure(path, syscall, result);
      default -> new Seen.OutOfReach(syscall, result);
    };
  }

  /** Returns the failure for an error that the table could not explain. */
  static MountException failure(MountPath path, String syscall, int result) {
    return ErrnoMeaning.of(doing(path), syscall, result, path).build();
  }

  /** Returns what an error says about the mount that it came from. */
  private static MountProbe.Health health(int result) {
    return result == -Abi.EACCES || result == -Abi.EPERM
        ? MountProbe.Health.DENIED
        : MountProbe.Health.DEAD;
  }

  private static String doing(MountPath path) {
    return "Looking at " + path;
  }
}
