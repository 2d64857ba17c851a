package io.csi4j.mount.internal.change;

import io.csi4j.mount.internal.change.UnmountSteps.Answer;
import io.csi4j.mount.internal.change.UnmountSteps.Outcome;
import io.csi4j.mount.internal.change.UnmountSteps.Pauser;
import io.csi4j.mount.internal.holders.HolderSearch;
import io.csi4j.mount.internal.kernel.Abi;
import io.csi4j.mount.internal.kernel.ErrnoMeaning;
import io.csi4j.mount.internal.kernel.Feature;
import io.csi4j.mount.internal.kernel.Kernel;
import io.csi4j.mount.internal.kernel.Struct;
import io.csi4j.mount.internal.kernel.Syscalls;
import io.csi4j.mount.internal.table.KernelTable;
import io.csi4j.mount.model.CleanupResult;
import io.csi4j.mount.model.Errno;
import io.csi4j.mount.model.Holder;
import io.csi4j.mount.model.Holders;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountException.Reason;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountProbe;
import io.csi4j.mount.model.MountRef;
import io.csi4j.mount.model.UnmountPolicy;
import io.csi4j.mount.model.UnmountResult;
import io.csi4j.mount.model.UnmountResult.Step;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

/**
 * Unmounts, and removes the empty directory or file that is left. Each attempt walks to the path
 * again and is one task of the pool; nothing is held between two attempts.
 */
final class Unmounter {

  /** Maximum number of holders that a message names. */
  private static final int NAMED_HOLDERS = 8;

  /** Maximum number of mounts on top of each other that a cleanup unmounts. */
  static final int MOST_MOUNTS = 64;

  private static final int LOOK_PATH = Abi.O_PATH | Abi.O_NOFOLLOW | Abi.O_CLOEXEC;
  private static final String UMOUNT = "umount2";
  private static final Holders NOBODY = new Holders(List.of(), 0, false);
  private static final Answer NOT_MOUNTED = new Answer(-Abi.EINVAL, Optional.empty());

  private final Kernel kernel;
  private final KernelTable table;
  private final Walk walk;
  private final MountCallPool pool;
  private final TargetTurns turns;
  private final HolderSearch search;
  private final Pauser pauser;

  Unmounter(
      Kernel kernel,
      KernelTable table,
      Walk walk,
      MountCallPool pool,
      TargetTurns turns,
      Pauser pauser) {
    this.kernel = kernel;
    this.table = table;
    this.walk = walk;
    this.pool = pool;
    this.turns = turns;
    this.search = new HolderSearch(kernel, table);
    this.pauser = pauser;
  }

  /** Unmounts the mount on top at the path. */
  UnmountResult unmount(MountPath path, UnmountPolicy policy) {
    return unmount(path, Optional.empty(), policy);
  }

  /** Unmounts this mount, if it is the one on top at its path. */
  UnmountResult unmount(MountRef ref, UnmountPolicy policy) {
    return unmount(ref.path(), Optional.of(ref), policy);
  }

  /** Unmounts all mounts at a path, then removes the one empty directory or file that is left. */
  CleanupResult cleanup(MountPath path, UnmountPolicy policy) {
    List<UnmountResult> unmounted = new ArrayList<>();
    try {
      while (true) {
        if (unmounted.size() == MOST_MOUNTS && isMounted(path)) {
          throw tooMany(path);
        }
        UnmountResult result = unmount(path, policy);
        if (result.step() == Step.NOT_MOUNTED) {
          break;
        }
        unmounted.add(result);
      }
      String doing = "Removing " + path;
      CleanupResult.Outcome outcome =
          pool.call(doing, Duration.ZERO, abandoned -> remove(doing, path, abandoned));
      return new CleanupResult(outcome, unmounted, Optional.empty());
    } catch (MountException e) {
      if (e.reason() != Reason.INTERRUPTED && isSeenMounted(path)) {
        return new CleanupResult(CleanupResult.Outcome.STILL_MOUNTED, unmounted, Optional.of(e));
      }
      throw e;
    }
  }

  /**
   * Returns whether something is mounted. Runs on the pool, as the path may lead through a hung
   * mount.
   */
  private boolean isMounted(MountPath path) {
    return pool.call("Looking at " + path, Duration.ZERO, abandoned -> table.probe(path).isMount());
  }

  private boolean isSeenMounted(MountPath path) {
    try {
      return isMounted(path);
    } catch (MountException unknown) {
      return false;
    }
  }

  private CleanupResult.Outcome remove(String doing, MountPath path, BooleanSupplier abandoned) {
    try (TargetPlace place = walk.place(doing, path)) {
      if (abandoned.getAsBoolean()) {
        // The caller has given up; the present mount may be wanted.
        return CleanupResult.Outcome.MISSING;
      }
      // The kernel's refusal shows the kind of file; a look at it could come too late.
      int removed = place.remove(true);
      if (removed == -Abi.ENOTDIR) {
        removed = isEmptyFile(doing, place) ? place.remove(false) : -Abi.ENOTEMPTY;
      }
      return switch (-removed) {
        case 0 -> CleanupResult.Outcome.REMOVED;
        case Abi.ENOENT -> CleanupResult.Outcome.MISSING;
        case Abi.ENOTEMPTY, Abi.EEXIST -> CleanupResult.Outcome.NOT_EMPTY;
        default -> throw ErrnoMeaning.of(doing, "unlinkat", removed, path).build();
      };
    } catch (MountException e) {
      if (isNowhere(e)) {
        return CleanupResult.Outcome.MISSING;
      }
      throw e;
    }
  }

  /** Returns whether it is a file without content; a mounted file is refused. */
  private boolean isEmptyFile(String doing, TargetPlace place) {
    try (Descriptor file = openUnmounted(doing, place)) {
      // Reads the present size from the server and not a cached one, as no content may be lost. If
      // the server hangs, so would the removal.
      byte[] out = new byte[Abi.STATX_SIZE];
      int flags = Abi.AT_EMPTY_PATH | Abi.AT_STATX_FORCE_SYNC;
      int mask = Abi.STATX_TYPE | Abi.STATX_FILE_SIZE;
      int looked = kernel.calls().statx(file.number(), Abi.emptyPath(), flags, mask, out);
      if (looked < 0) {
        throw ErrnoMeaning.of(doing, "statx", looked, place.path()).build();
      }
      int kind = Struct.u16(out, Abi.STATX_AT_MODE) & Abi.S_IFMT;
      return kind == Abi.S_IFREG && Struct.u64(out, Abi.STATX_AT_FILE_SIZE) == 0;
    }
  }

  private Descriptor openUnmounted(String doing, TargetPlace place) {
    Syscalls calls = kernel.calls();
    int file =
        kernel.features().has(Feature.OPENAT2)
            ? calls.openat2(place.directory(), place.name(), LOOK_PATH, 0, Abi.RESOLVE_NO_XDEV)
            : calls.openat(place.directory(), place.name(), LOOK_PATH, 0);
    if (file == -Abi.EXDEV) {
      throw stillMounted(doing, place);
    }
    if (file < 0) {
      throw ErrnoMeaning.of(doing, "openat", file, place.path()).build();
    }
    Descriptor opened = new Descriptor(calls, file);
    boolean isKept = false;
    try {
      if (table.probe(place.path()).isMount()) {
        throw stillMounted(doing, place);
      }
      isKept = true;
      return opened;
    } finally {
      if (!isKept) {
        opened.close();
      }
    }
  }

  private static MountException stillMounted(String doing, TargetPlace place) {
    return ErrnoMeaning.of(doing, "unlinkat", -Abi.EBUSY, place.path()).build();
  }

  private static MountException tooMany(MountPath path) {
    return MountException.builder(
            Reason.LIMIT,
            "Unmounting "
                + path
                + " was given up: "
                + MOST_MOUNTS
                + " mounts were on top of each other there and were unmounted, and another program"
                + " may keep mounting there. Find it, then try again.")
        .target(path)
        .build();
  }

  /** Returns all holders that were found. */
  Holders whoHolds(MountRef mount) {
    return pool.call(
        "Searching who holds " + mount, Duration.ZERO, abandoned -> search.holders(mount));
  }

  private UnmountResult unmount(MountPath path, Optional<MountRef> only, UnmountPolicy policy) {
    String doing = "Unmounting " + path;
    if (path.isRoot()) {
      throw MountException.builder(
              Reason.NOT_PERMITTED,
              doing
                  + " was refused: it is the root directory of this process, and the kernel would"
                  + " make its filesystem read-only instead. Name a mount below it.")
          .target(path)
          .build();
    }
    Outcome outcome;
    try {
      outcome = climb(doing, path, only, policy);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw MountException.builder(
              Reason.INTERRUPTED,
              doing + " was given up: this thread was interrupted. The mount is still there.")
          .target(path)
          .cause(e)
          .build();
    }
    Answer answer = outcome.answer();
    if (answer.isBusy()) {
      throw busy(doing, path, outcome);
    }
    if (answer.result() == -Abi.EINVAL) {
      return new UnmountResult(Step.NOT_MOUNTED, Optional.empty(), outcome.attempts(), false);
    }
    if (answer.result() < 0) {
      throw ErrnoMeaning.of(doing, UMOUNT, answer.result(), path).build();
    }
    return new UnmountResult(
        outcome.step(), answer.mount(), outcome.attempts(), outcome.step() == Step.LAZY);
  }

  private Outcome climb(String doing, MountPath path, Optional<MountRef> only, UnmountPolicy policy)
      throws InterruptedException {
    return new UnmountSteps(pauser)
        .climb(
            policy,
            flags ->
                turns.call(
                    pool, doing, path, abandoned -> ask(doing, path, only, flags, abandoned)));
  }

  private Answer ask(
      String doing, MountPath path, Optional<MountRef> only, int flags, BooleanSupplier abandoned) {
    // Checked before the walk: the mount may have moved, and its former directory may be gone.
    if (only.isPresent() && !isOnTop(doing, only.get())) {
      return NOT_MOUNTED;
    }
    try (TargetPlace place = walk.place(doing, path)) {
      Optional<MountRef> top = top(path);
      if (abandoned.getAsBoolean()) {
        // The walk was slow, and the present mount may be wanted.
        return NOT_MOUNTED;
      }
      int result = unmount(place, flags);
      if (result == -Abi.EINVAL && isMount(doing, place)) {
        // Another mount may appear in the next moment; otherwise the kernel keeps it there.
        result = unmount(place, flags);
        if (result == -Abi.EINVAL && isMount(doing, place)) {
          throw failure(
                  doing,
                  path,
                  Reason.NOT_PERMITTED,
                  Abi.EINVAL,
                  "the mount was made outside of this user namespace, which locks it, or belongs to"
                      + " another mount namespace. Unmount it from there.")
              .build();
        }
      }
      if (result == -Abi.ENOENT && !hasProc(place)) {
        throw failure(
                doing,
                path,
                Reason.NO_MOUNT_TABLE,
                Abi.ENOENT,
                "/proc is not mounted, and without it nothing can be unmounted safely. Mount it.")
            .build();
      }
      boolean isNothing = result == -Abi.ENOENT || result == -Abi.ENOTDIR;
      return isNothing ? NOT_MOUNTED : new Answer(result, top);
    } catch (MountException e) {
      if (isNowhere(e)) {
        return NOT_MOUNTED;
      }
      throw e;
    }
  }

  private int unmount(TargetPlace place, int flags) {
    return kernel.calls().umount2(place.throughDescriptor(), flags | Abi.UMOUNT_NOFOLLOW);
  }

  private Optional<MountRef> top(MountPath path) {
    return table.probe(path) instanceof MountProbe.Mounted mounted
        ? Optional.of(mounted.ref())
        : Optional.empty();
  }

  /** Returns whether the mount may be unmounted; false if it is gone. */
  private boolean isOnTop(String doing, MountRef ref) {
    MountRef.Check check = table.check(ref);
    if (check instanceof MountRef.Check.Gone) {
      return false;
    }
    if (check instanceof MountRef.Check.Moved moved) {
      throw MountException.builder(
              Reason.NOT_A_MOUNT,
              doing
                  + " was refused: "
                  + ref
                  + " is at "
                  + moved.to().path()
                  + " now, because it or a directory above it was moved. Unmount it there.")
          .target(ref.path())
          .build();
    }
    if (check instanceof MountRef.Check.Replaced replaced) {
      throw occupied(doing, ref, replaced.by(), "is gone, and another mount is at its path: ");
    }
    Optional<MountRef> top = top(ref.path());
    if (top.isPresent() && !top.get().identity().equals(ref.identity())) {
      throw occupied(doing, ref, top.get(), "is covered by another one on top of it: ");
    }
    return true;
  }

  private MountException occupied(String doing, MountRef ref, MountRef by, String why) {
    MountException.Builder refusal =
        MountException.builder(
                Reason.TARGET_OCCUPIED,
                doing
                    + " was refused: "
                    + ref
                    + " "
                    + why
                    + by
                    + ". Unmount that one first, if it is yours.")
            .target(ref.path());
    table.find(ref.path()).ifPresent(refusal::occupant);
    return refusal.build();
  }

  /** Returns whether something is mounted; a symbolic link is refused. */
  private boolean isMount(String doing, TargetPlace place) {
    if (kernel.calls().readlinkat(place.directory(), place.name(), new byte[1]) >= 0) {
      throw failure(
              doing,
              place.path(),
              Reason.SYMLINK,
              Abi.EINVAL,
              "it is a symbolic link, and links are not followed. Unmount what it leads to by "
                  + "its own"
                  + " path.")
          .build();
    }
    return top(place.path()).isPresent();
  }

  /** Returns whether the path through the descriptor works, which every unmount uses. */
  private boolean hasProc(TargetPlace place) {
    byte[] link = Abi.path("/proc/self/fd/" + place.directory());
    return kernel.calls().readlinkat(Abi.AT_FDCWD, link, new byte[1]) >= 0;
  }

  /** Returns whether there cannot be a mount, because a parent directory does not exist. */
  private static boolean isNowhere(MountException e) {
    return e.reason() == Reason.NOT_FOUND || e.reason() == Reason.WRONG_KIND;
  }

  private static MountException.Builder failure(
      String doing, MountPath path, Reason reason, int errno, String why) {
    return MountException.builder(reason, doing + " failed: " + why)
        .syscall(UMOUNT, new Errno(errno))
        .target(path);
  }

  private MountException busy(String doing, MountPath path, Outcome outcome) {
    Optional<MountRef> mount = outcome.answer().mount();
    Holders holders = mount.map(this::holders).orElse(NOBODY);
    return failure(
            doing,
            path,
            Reason.BUSY,
            Abi.EBUSY,
            "it is in use after "
                + outcome.attempts()
                + (outcome.attempts() == 1 ? " attempt" : " attempts")
                + "; "
                + text(holders)
                + ". End that use, or allow a lazy unmount.")
        .holders(holders)
        .build();
  }

  private Holders holders(MountRef mount) {
    try {
      return whoHolds(mount);
    } catch (MountException e) {
      return NOBODY;
    }
  }

  private static String text(Holders holders) {
    // A mount of the same filesystem at another path does not make this one busy.
    List<Holder> found = holders.ofMount();
    int more = found.size() - NAMED_HOLDERS;
    if (found.isEmpty()) {
      return "no holder was found"
          + (holders.unseen() > 0
              ? ", but "
                  + holders.unseen()
                  + (holders.unseen() == 1 ? " process" : " processes")
                  + " could not be examined"
              : "");
    }
    return "it is held by "
        + found.stream()
            .limit(NAMED_HOLDERS)
            .map(Object::toString)
            .collect(Collectors.joining(", "))
        + (more > 0 ? " and " + more + " more" : "");
  }
}
