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
import java.io.IOException;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * Tells what is at a path, by the best way that the kernel has. Every way follows symbolic links in
 * the middle of the path and none at its end.
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
   * A look on this kernel.
   *
   * @param mounts the table, where a way needs it
   * @param careful whether a filesystem is there whose server may be asked by walking into a mount;
   *     then mounts are told without touching them
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

    /** The health of the mount at the path as the kernel told it, if it did. */
    default Optional<MountProbe.Health> told() {
      return Optional.empty();
    }

    /**
     * A mount whose number is known.
     *
     * @param id the number
     * @param isUnique whether no other mount gets the number
     * @param told what the kernel told of its health, if anything
     */
    record Numbered(long id, boolean isUnique, Optional<MountProbe.Health> told) implements Seen {}

    /**
     * A mount that is known by its place, and was not touched.
     *
     * @param place its path without symbolic links
     * @param told what the kernel told of its health, if anything
     */
    record Placed(MountPath place, Optional<MountProbe.Health> told) implements Seen {}

    /**
     * A path that the kernel does not walk to its end, so that the table has to tell what is there.
     *
     * @param syscall the call that failed
     * @param result what it returned: the error with a minus sign
     */
    record OutOfReach(String syscall, int result) implements Seen {
      @Override
      public Optional<MountProbe.Health> told() {
        return Optional.of(health(result));
      }
    }
  }

  /** A path at which no mount is. */
  enum Unmounted implements Seen {
    /** There is nothing. */
    MISSING,
    /** There is something, and nothing is mounted on it. */
    NOT_A_MOUNT
  }

  /**
   * Returns what is there.
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
   * The look by one {@code statx}, which says whether the path is the root of a mount, and of which
   * (Linux 5.8). It asks for what is known without the server, so that a hung one does not matter;
   * an error leaves the decision to an older way, which does not look into the mount.
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
      // In some changed roots the root directory is no mount.
      return mounts.at(MountPath.ROOT).isPresent()
          ? new Seen.Placed(MountPath.ROOT, Optional.empty())
          : Unmounted.NOT_A_MOUNT;
    }
    return inDirectory(path, openat2 ? this::byRefusal : this::byFdinfo);
  }

  /**
   * The look at the table first, and at the path only if the table has no mount there: for kernels
   * without {@code openat2} that have filesystems whose mounts must not be touched.
   */
  private Seen byTable(MountPath path) {
    Seen seen =
        inDirectory(
            path, (same, directory) -> new Seen.Placed(place(path, directory), Optional.empty()));
    return seen instanceof Seen.Placed placed && mounts.at(placed.place()).isEmpty()
        ? byOpening(path)
        : seen;
  }

  /** A look from the directory that the path is in; what is at the path is not touched by it. */
  private interface FromDirectory {
    Seen look(MountPath path, int directory);
  }

  /** Returns what is seen from the directory, which is opened as a place only. */
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
   * The look by {@code openat2}, which refuses to enter a mount (Linux 5.6). The mount itself is
   * never touched.
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
   * The look by the number of the mount that an open file is in, compared with that of the
   * directory above (Linux 3.15). Devices are not compared: a bind mount has the device of its
   * source.
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
                  + " failed: /proc does not tell which mount it is in ("
                  + PrintableText.escape(String.valueOf(e.getMessage()))
                  + "). See that proc is mounted at /proc, and that this process may open more"
                  + " files.")
          .target(path)
          .cause(e)
          .build();
    } finally {
      calls.close(opened);
    }
  }

  /** The last part of the path, with a NUL at its end. */
  private static byte[] name(MountPath path) {
    byte[] bare = path.name();
    return Arrays.copyOf(bare, bare.length + 1);
  }

  /** The path without symbolic links, as the kernel's table has it. */
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
   * Returns what an error tells of the path.
   *
   * @throws MountException if it tells nothing
   */
  private static Seen unseen(MountPath path, String syscall, int result) {
    return switch (-result) {
      case Abi.ENOENT, Abi.ENOTDIR -> Unmounted.MISSING;
      case Abi.ELOOP ->
          throw MountException.builder(
                  Reason.SYMLINK,
                  doing(path)
                      + " failed: its symbolic links lead in a circle, or there are more than 40."
                      + " Name the path without them.")
              .syscall(syscall, new Errno(-result))
              .target(path)
              .build();
      case Abi.ENAMETOOLONG, Abi.EMFILE, Abi.ENFILE, Abi.ENOMEM ->
          throw failure(path, syscall, result);
      default -> new Seen.OutOfReach(syscall, result);
    };
  }

  /** The failure for an error that the table could not explain. */
  static MountException failure(MountPath path, String syscall, int result) {
    return ErrnoMeaning.of(doing(path), syscall, result, path).build();
  }

  /** Returns what an error tells of the mount that it came from. */
  private static MountProbe.Health health(int result) {
    return result == -Abi.EACCES || result == -Abi.EPERM
        ? MountProbe.Health.DENIED
        : MountProbe.Health.DEAD;
  }

  private static String doing(MountPath path) {
    return "Looking at " + path;
  }
}
