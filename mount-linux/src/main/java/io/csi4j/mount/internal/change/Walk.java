package io.csi4j.mount.internal.change;

import io.csi4j.mount.internal.kernel.Abi;
import io.csi4j.mount.internal.kernel.ErrnoMeaning;
import io.csi4j.mount.internal.kernel.Feature;
import io.csi4j.mount.internal.kernel.Kernel;
import io.csi4j.mount.internal.kernel.Syscalls;
import io.csi4j.mount.model.Errno;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountException.Reason;
import io.csi4j.mount.model.MountPath;
import java.util.Arrays;

/**
 * Reaches paths without following a symbolic link, except in the path of a trusted directory.
 * Opened files are never read, so a walk does not wait for the filesystem of a mount.
 *
 * <p>Uses one {@code openat2} if the kernel has that call; otherwise opens each part in the one
 * before it.
 */
final class Walk {

  /** Maximum number of attempts if a rename comes in between. */
  private static final int TRIES = 64;

  private static final int PATH = Abi.O_PATH | Abi.O_CLOEXEC;
  private static final int DIRECTORY = PATH | Abi.O_DIRECTORY;
  private static final byte[] HERE = Abi.path(".");

  private final Kernel kernel;
  private final Syscalls calls;
  private final MountPath base;

  /**
   * Creates a walk from a trusted directory.
   *
   * @param base the directory; links in its own path are followed, and no path leads out of it
   */
  Walk(Kernel kernel, MountPath base) {
    this.kernel = kernel;
    this.calls = kernel.calls();
    this.base = base;
  }

  /**
   * Returns the place of a target. The last part of the path is not accessed, so it may be missing,
   * dead or hung.
   *
   * @param doing a description of the work for the message, such as {@code Unmounting /a}
   * @throws MountException if the directory of the target cannot be reached without links
   */
  TargetPlace place(String doing, MountPath target) {
    if (!target.isWithin(base)) {
      throw outside(
          doing, target, "it is not below " + base + "; only paths below it may be changed");
    }
    if (isBase(target)) {
      throw outside(
          doing, target, "it is the directory that all targets have to be below, not one of them");
    }
    return new TargetPlace(
        kernel, target, below(doing, base, target.parent(), target, DIRECTORY).number());
  }

  /** Returns whether a path is the trusted directory. */
  boolean isBase(MountPath path) {
    return path.equals(base);
  }

  /** Opens the trusted directory itself; the caller closes it. */
  Descriptor base(String doing) {
    return new Descriptor(calls, trusted(doing, base, base));
  }

  /**
   * Opens the source of a bind. It may be outside the trusted directory, but no link is followed.
   * The caller closes it.
   */
  Descriptor source(String doing, MountPath source) {
    MountPath from = source.isWithin(base) ? base : MountPath.ROOT;
    return below(doing, from, source, source, PATH);
  }

  /** Does the same as {@link #source}, and follows links. */
  Descriptor linkedSource(String doing, MountPath source) {
    int opened = calls.openat(Abi.AT_FDCWD, Abi.path(source), PATH, 0);
    if (opened < 0) {
      throw ErrnoMeaning.of(doing, "open", opened, source).build();
    }
    return new Descriptor(calls, opened);
  }

  /**
   * Opens a file below an open directory; the caller closes it.
   *
   * @param start the directory
   * @param from its path
   */
  Descriptor inside(String doing, Descriptor start, MountPath from, MountPath path) {
    return open(doing, start, from, path, path, PATH);
  }

  private Descriptor below(
      String doing, MountPath from, MountPath path, MountPath about, int flags) {
    try (Descriptor start = new Descriptor(calls, trusted(doing, from, about))) {
      return open(doing, start, from, path, about, flags);
    }
  }

  private int trusted(String doing, MountPath from, MountPath about) {
    int opened = calls.openat(Abi.AT_FDCWD, Abi.path(from), DIRECTORY, 0);
    if (opened < 0) {
      throw ErrnoMeaning.of(doing, "open", opened, about).build();
    }
    return opened;
  }

  private Descriptor open(
      String doing, Descriptor start, MountPath from, MountPath path, MountPath about, int flags) {
    byte[] relative = relative(from, path);
    int opened =
        kernel.features().has(Feature.OPENAT2)
            ? inOneStep(start.number(), relative, flags)
            : -Abi.ENOSYS;
    if (opened == -Abi.ENOSYS || opened == -Abi.EPERM) {
      opened = partByPart(start.number(), relative, flags);
    }
    if (opened == -Abi.ELOOP) {
      throw symlink(doing, from, start.number(), relative, about);
    }
    if (opened < 0) {
      throw ErrnoMeaning.of(doing, "open", opened, about).build();
    }
    return new Descriptor(calls, opened);
  }

  private int inOneStep(int start, byte[] relative, int flags) {
    long resolve = Abi.RESOLVE_BENEATH | Abi.RESOLVE_NO_SYMLINKS | Abi.RESOLVE_NO_MAGICLINKS;
    int opened = -Abi.EAGAIN;
    for (int i = 0; i < TRIES && opened == -Abi.EAGAIN; i++) {
      opened = calls.openat2(start, relative, flags, 0, resolve);
    }
    return opened;
  }

  /** Returns the descriptor, or the negative error number; {@code ELOOP} if a part is a link. */
  private int partByPart(int start, byte[] relative, int flags) {
    int at = calls.openat(start, HERE, DIRECTORY, 0);
    for (int from = 0; at >= 0 && !isHere(relative); ) {
      int to = end(relative, from);
      boolean last = relative[to] == 0;
      byte[] part = Arrays.copyOf(Arrays.copyOfRange(relative, from, to), to - from + 1);
      int next = calls.openat(at, part, (last ? flags : DIRECTORY) | Abi.O_NOFOLLOW, 0);
      if (next >= 0 && isLink(next, Abi.emptyPath())) {
        calls.close(next);
        next = -Abi.ELOOP;
      } else if (next == -Abi.ENOTDIR && isLink(at, part)) {
        next = -Abi.ELOOP;
      }
      calls.close(at);
      if (last) {
        return next;
      }
      at = next;
      from = to + 1;
    }
    return at;
  }

  /** Returns whether the path is a link; calls the filesystem only if it is one. */
  private boolean isLink(int directory, byte[] path) {
    return calls.readlinkat(directory, path, new byte[1]) >= 0;
  }

  private MountException symlink(
      String doing, MountPath from, int start, byte[] relative, MountPath about) {
    return symlink(doing, link(from, start, relative), about);
  }

  /** Returns the failure for a link in a path. */
  static MountException symlink(String doing, String link, MountPath about) {
    return MountException.builder(
            Reason.SYMLINK,
            doing
                + " failed: "
                + link
                + " is a symbolic link, and links are not followed. Give a path without links, or"
                + " declare a trusted directory above it with Mounts.beneath.")
        .syscall("open", new Errno(Abi.ELOOP))
        .target(about)
        .build();
  }

  /** Returns the part that is the link; some part, if the link was exchanged meanwhile. */
  private String link(MountPath from, int start, byte[] relative) {
    for (int to = end(relative, 0); ; to = end(relative, to + 1)) {
      byte[] part = Arrays.copyOf(Arrays.copyOf(relative, to), to + 1);
      int opened = partByPart(start, part, PATH);
      if (opened == -Abi.ELOOP) {
        return MountPath.ofBytes(join(from, Arrays.copyOf(relative, to))).toString();
      }
      if (opened >= 0) {
        calls.close(opened);
      }
      if (relative[to] == 0) {
        return "a part of the path";
      }
    }
  }

  private static MountException outside(String doing, MountPath target, String why) {
    return MountException.builder(
            Reason.OUTSIDE, doing + " was refused: " + why + ". Name a path below it.")
        .target(target)
        .build();
  }

  private static boolean isHere(byte[] relative) {
    return Arrays.equals(relative, HERE);
  }

  private static int end(byte[] relative, int from) {
    int to = from;
    while (relative[to] != '/' && relative[to] != 0) {
      to++;
    }
    return to;
  }

  /** Returns the relative path, with a NUL at its end; {@code .} if both are equal. */
  private static byte[] relative(MountPath from, MountPath path) {
    byte[] bytes = Abi.path(path);
    int skip = from.isRoot() ? 1 : from.bytes().length + 1;
    return bytes.length - 1 <= skip ? HERE : Arrays.copyOfRange(bytes, skip, bytes.length);
  }

  private static byte[] join(MountPath from, byte[] relative) {
    byte[] start = from.bytes();
    byte[] joined = Arrays.copyOf(start, start.length + 1 + relative.length);
    joined[start.length] = '/';
    System.arraycopy(relative, 0, joined, start.length + 1, relative.length);
    return joined;
  }
}
