package io.csi4j.mount.internal.change;

import io.csi4j.mount.internal.kernel.Abi;
import io.csi4j.mount.internal.kernel.ErrnoMeaning;
import io.csi4j.mount.internal.kernel.ErrnoMeaning.Work;
import io.csi4j.mount.internal.kernel.Feature;
import io.csi4j.mount.internal.kernel.Kernel;
import io.csi4j.mount.internal.kernel.Struct;
import io.csi4j.mount.internal.kernel.Syscalls;
import io.csi4j.mount.model.FileOwnership;
import io.csi4j.mount.model.FileOwnership.Policy;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountException.Reason;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.OwnershipResult;
import io.csi4j.mount.model.OwnershipResult.Outcome;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Iterator;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One pass over the files of a mount that changes their owner to a user or group. It descends from
 * the root with descriptors, so that it never leaves the mount, neither through a link nor into
 * another mount, even if directories are exchanged meanwhile. It opens only directories, for
 * reading, so it waits for no pipe or device. The root directory is changed last.
 */
final class OwnershipPass {

  /** Maximum number of directories that are open at once. */
  private static final int DEEPEST = 500;

  /** The number of files between two reports of the progress. */
  private static final int TELL_EVERY = 10_000;

  /** Fits into reused memory. */
  private static final int NAMES = 8000;

  private static final int LOOK = Abi.STATX_TYPE | Abi.STATX_MODE | Abi.STATX_UID | Abi.STATX_GID;
  private static final int DIRECTORY =
      Abi.O_RDONLY | Abi.O_DIRECTORY | Abi.O_NOFOLLOW | Abi.O_NONBLOCK | Abi.O_CLOEXEC;
  private static final int PLACE = Abi.O_PATH | Abi.O_NOFOLLOW | Abi.O_CLOEXEC;
  private static final long INSIDE =
      Abi.RESOLVE_BENEATH | Abi.RESOLVE_NO_XDEV | Abi.RESOLVE_NO_SYMLINKS;
  private static final int PERMISSIONS = 07777;

  /** The usual number of the user and group "nobody". */
  private static final int NOBODY = 65_534;

  private final Kernel kernel;
  private final Syscalls calls;
  private final MountPath root;
  private final FileOwnership wish;
  private final Consumer<? super OwnershipResult> progress;
  private final BooleanSupplier abandoned;
  private final String doing;
  private final long end;
  private final Deque<Level> levels = new ArrayDeque<>();
  private long seen;
  private long changed;
  private long left;

  /**
   * Creates a pass that has not started.
   *
   * @param root the path of the mount, for messages
   */
  OwnershipPass(
      Kernel kernel,
      MountPath root,
      FileOwnership wish,
      Consumer<? super OwnershipResult> progress,
      BooleanSupplier abandoned) {
    this.kernel = kernel;
    this.calls = kernel.calls();
    this.root = root;
    this.wish = wish;
    this.progress = progress;
    this.abandoned = abandoned;
    this.doing = doing(root, wish);
    this.end = System.nanoTime() + MountCallPool.nanos(wish.maxTime());
  }

  /** Returns a description of the pass for messages. */
  static String doing(MountPath root, FileOwnership wish) {
    return "Giving the files of " + root + " to " + wish;
  }

  /** A directory on the way down, and the names in it that were read and not yet visited. */
  private final class Level {

    final Descriptor directory;
    final byte[] name;
    private final byte[] names = new byte[NAMES];
    private int at;
    private int length;

    Level(Descriptor directory, byte[] name) {
      this.directory = directory;
      this.name = name;
    }

    /** Returns the next name, with a NUL at its end; null after the last one. */
    byte @Nullable [] next() {
      while (true) {
        if (at >= length) {
          length = checked("getdents64", calls.getdents64(directory.number(), names), null);
          at = 0;
          if (length == 0) {
            return null;
          }
        }
        int from = at + Abi.DIRENT_AT_NAME;
        at += Struct.u16(names, at + Abi.DIRENT_AT_LENGTH);
        int to = from;
        while (names[to] != 0) {
          to++;
        }
        if (!isHereOrAbove(from, to)) {
          return Arrays.copyOfRange(names, from, to + 1);
        }
      }
    }

    private boolean isHereOrAbove(int from, int to) {
      return names[from] == '.' && (to - from == 1 || (to - from == 2 && names[from + 1] == '.'));
    }
  }

  /** The kind and the owner of a file. */
  private record Facts(int mode, int user, int group) {

    int type() {
      return mode & Abi.S_IFMT;
    }

    boolean isDirectory() {
      return type() == Abi.S_IFDIR;
    }

    boolean isLink() {
      return type() == Abi.S_IFLNK;
    }

    boolean isDevice() {
      return type() == Abi.S_IFCHR || type() == Abi.S_IFBLK;
    }
  }

  /**
   * Runs the pass.
   *
   * @param mount the root of the mount
   */
  OwnershipResult run(Descriptor mount) {
    Facts facts = looked(mount.number(), Abi.emptyPath(), Abi.AT_EMPTY_PATH, null);
    seen++;
    if (facts == null || !facts.isDirectory()) {
      throw failure(
          Reason.WRONG_KIND,
          "it is no directory",
          "Change the owner of a device or of a single file by its own path");
    }
    boolean isRight = isRight(facts);
    if (wish.policy() == Policy.NEVER) {
      return result(isRight ? Outcome.THERE_ALREADY : Outcome.DIFFERS);
    }
    if (isRight && wish.policy() == Policy.ON_ROOT_MISMATCH) {
      return result(Outcome.THERE_ALREADY);
    }
    if (!kernel.features().has(Feature.OPENAT2)) {
      throw failure(
          Reason.UNSUPPORTED,
          "the kernel has no openat2, without which a path could lead out of the volume",
          "Use Linux 5.6 or newer, and check that no filter forbids the call");
    }
    int opened = calls.openat(Abi.AT_FDCWD, mount.link(), DIRECTORY & ~Abi.O_NOFOLLOW, 0);
    levels.push(new Level(descriptor("open", opened, null), Abi.emptyPath()));
    try {
      if (!isOwned(facts)) {
        takeMarkOff(levels.element().directory);
      }
      return walked();
    } finally {
      levels.forEach(level -> level.directory.close());
    }
  }

  /**
   * Changes the owner of the root, which marks a complete pass, before the first file changes. The
   * root gets user or group 0, so that the next pass for either owner visits all files even if this
   * pass does not end.
   */
  private void takeMarkOff(Descriptor directory) {
    int result =
        calls.fchownat(
            directory.number(),
            Abi.emptyPath(),
            wish.user().isEmpty() ? -1 : neutral(wish.user().getAsLong()),
            wish.group().isEmpty() ? -1 : neutral(wish.group().getAsLong()),
            Abi.AT_EMPTY_PATH);
    if (result != -Abi.EPERM && result != -Abi.EINVAL) {
      // Fails for a user that may not change owners, or whose user namespace has no such number.
      var unused = checked("fchownat", result, null);
    }
  }

  private static int neutral(long wanted) {
    return wanted == 0 ? NOBODY : 0;
  }

  private OwnershipResult walked() {
    while (true) {
      // A file with the right owner does not count, so another pass with the same limit gets
      // further.
      if (changed >= wish.maxFiles() || System.nanoTime() - end >= 0 || abandoned.getAsBoolean()) {
        return result(Outcome.LIMIT);
      }
      Level level = levels.element();
      byte[] name = level.next();
      if (name != null) {
        visit(level, name);
        if (seen % TELL_EVERY == 0) {
          progress.accept(result(Outcome.GOING_ON));
        }
      } else {
        change(level.directory, null);
        levels.pop().directory.close();
        if (levels.isEmpty()) {
          return result(Outcome.DONE);
        }
      }
    }
  }

  private OwnershipResult result(Outcome outcome) {
    return new OwnershipResult(outcome, seen, changed, left);
  }

  private void visit(Level level, byte[] name) {
    int from = level.directory.number();
    Facts facts = looked(from, name, Abi.AT_SYMLINK_NOFOLLOW | Abi.AT_NO_AUTOMOUNT, name);
    if (facts == null) {
      return;
    }
    seen++;
    if (facts.isDirectory()) {
      enter(from, name);
    } else if (facts.isDevice()) {
      // The owner of a device may do with it what its driver allows.
      left++;
    } else if (!isRight(facts)) {
      Descriptor file = inside(from, name, PLACE);
      if (file != null) {
        try (file) {
          change(file, name);
        }
      }
    }
  }

  private void enter(int from, byte[] name) {
    if (levels.size() >= DEEPEST) {
      throw failure(
          Reason.LIMIT,
          "its directories are deeper than " + DEEPEST + " at " + path(name),
          "Set the owners of all files by hand, and that of the root last");
    }
    Descriptor directory = inside(from, name, DIRECTORY);
    if (directory != null) {
      levels.push(new Level(directory, name));
    }
  }

  /** Opens a name in a directory; null if it is gone, or in another mount. */
  private @Nullable Descriptor inside(int directory, byte[] name, int flags) {
    int opened = calls.openat2(directory, name, flags, 0, INSIDE);
    if (opened == -Abi.EXDEV) {
      left++;
      return null;
    }
    return opened == -Abi.ENOENT ? null : descriptor("openat2", opened, name);
  }

  /**
   * Makes the necessary change.
   *
   * @param name its name in the visited directory; null for that directory itself
   */
  private void change(Descriptor file, byte @Nullable [] name) {
    Facts facts = looked(file.number(), Abi.emptyPath(), Abi.AT_EMPTY_PATH, name);
    if (facts == null || facts.isDevice() || isRight(facts)) {
      return;
    }
    if (!isOwned(facts)) {
      checked(
          "fchownat",
          calls.fchownat(
              file.number(),
              Abi.emptyPath(),
              (int) wish.user().orElse(-1),
              (int) wish.group().orElse(-1),
              Abi.AT_EMPTY_PATH),
          name);
      // The kernel may have cleared bits.
      facts = looked(file.number(), Abi.emptyPath(), Abi.AT_EMPTY_PATH, name);
    }
    if (facts != null && !isPermitted(facts)) {
      int mode = (facts.mode() | permissions(facts)) & PERMISSIONS;
      checked("fchmodat", calls.fchmodat(Abi.AT_FDCWD, file.link(), mode), name);
    }
    changed++;
  }

  private boolean isRight(Facts facts) {
    return isOwned(facts) && isPermitted(facts);
  }

  private boolean isOwned(Facts facts) {
    return (wish.user().isEmpty() || facts.user() == (int) wish.user().getAsLong())
        && (wish.group().isEmpty() || facts.group() == (int) wish.group().getAsLong());
  }

  private boolean isPermitted(Facts facts) {
    return (facts.mode() & permissions(facts)) == permissions(facts);
  }

  /** Returns the permissions to add. Links have none. */
  private int permissions(Facts facts) {
    if (facts.isLink()) {
      return 0;
    }
    return facts.isDirectory() ? wish.directoryPermissions() : wish.filePermissions();
  }

  private @Nullable Facts looked(int directory, byte[] path, int flags, byte @Nullable [] name) {
    byte[] out = new byte[Abi.STATX_SIZE];
    int result = calls.statx(directory, path, flags, LOOK, out);
    if (result == -Abi.ENOENT) {
      return null;
    }
    checked("statx", result, name);
    return new Facts(
        Struct.u16(out, Abi.STATX_AT_MODE),
        Struct.u32(out, Abi.STATX_AT_UID),
        Struct.u32(out, Abi.STATX_AT_GID));
  }

  private Descriptor descriptor(String syscall, int opened, byte @Nullable [] name) {
    return new Descriptor(calls, checked(syscall, opened, name));
  }

  private int checked(String syscall, int result, byte @Nullable [] name) {
    if (result < 0) {
      throw ErrnoMeaning.of(Work.OWN, doing, syscall, result, path(name)).build();
    }
    return result;
  }

  private MountException failure(Reason reason, String why, String next) {
    return MountException.builder(reason, doing + " failed: " + why + ". " + next + ".")
        .target(root)
        .build();
  }

  /**
   * Returns the path of a name in the visited directory; of the directory itself without a name.
   */
  private MountPath path(byte @Nullable [] name) {
    byte[] path = root.bytes();
    for (Iterator<Level> down = levels.descendingIterator(); down.hasNext(); ) {
      path = joined(path, down.next().name);
    }
    return MountPath.ofBytes(name == null ? path : joined(path, name));
  }

  private static byte[] joined(byte[] path, byte[] name) {
    if (name[0] == 0) {
      return path;
    }
    byte[] joined = Arrays.copyOf(path, path.length + name.length);
    joined[path.length] = '/';
    System.arraycopy(name, 0, joined, path.length + 1, name.length - 1);
    return joined;
  }
}
