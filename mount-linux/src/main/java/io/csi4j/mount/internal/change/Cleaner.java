package io.csi4j.mount.internal.change;

import io.csi4j.mount.internal.kernel.Abi;
import io.csi4j.mount.internal.kernel.ErrnoMeaning;
import io.csi4j.mount.internal.kernel.Feature;
import io.csi4j.mount.internal.kernel.Kernel;
import io.csi4j.mount.internal.kernel.Struct;
import io.csi4j.mount.internal.kernel.Syscalls;
import io.csi4j.mount.internal.table.KernelTable;
import io.csi4j.mount.model.CleanupResult;
import io.csi4j.mount.model.CleanupResult.Outcome;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountException.Reason;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.UnmountPolicy;
import io.csi4j.mount.model.UnmountResult;
import io.csi4j.mount.model.UnmountResult.Step;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/** Takes away what is mounted at a path, then the one empty directory or file that is left. */
final class Cleaner {

  /** How many mounts on top of each other are taken away. */
  static final int MOST_MOUNTS = 64;

  private static final int LOOK_PATH = Abi.O_PATH | Abi.O_NOFOLLOW | Abi.O_CLOEXEC;

  private final Kernel kernel;
  private final KernelTable table;
  private final Walk walk;
  private final MountCallPool pool;
  private final Unmounter unmounter;

  Cleaner(Kernel kernel, KernelTable table, Walk walk, MountCallPool pool, Unmounter unmounter) {
    this.kernel = kernel;
    this.table = table;
    this.walk = walk;
    this.pool = pool;
    this.unmounter = unmounter;
  }

  CleanupResult cleanup(MountPath path, UnmountPolicy policy) {
    List<UnmountResult> unmounted = new ArrayList<>();
    try {
      while (true) {
        if (unmounted.size() == MOST_MOUNTS && isMounted(path)) {
          throw tooMany(path);
        }
        UnmountResult result = unmounter.unmount(path, policy);
        if (result.step() == Step.NOT_MOUNTED) {
          break;
        }
        unmounted.add(result);
      }
      String doing = "Removing " + path;
      Outcome outcome =
          pool.call(doing, Duration.ZERO, abandoned -> remove(doing, path, abandoned));
      return new CleanupResult(outcome, unmounted, Optional.empty());
    } catch (MountException e) {
      if (e.reason() != Reason.INTERRUPTED && isSeenMounted(path)) {
        return new CleanupResult(Outcome.STILL_MOUNTED, unmounted, Optional.of(e));
      }
      throw e;
    }
  }

  /** Whether something is mounted; on the pool, as the way there may lead through a hung one. */
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

  private Outcome remove(String doing, MountPath path, BooleanSupplier abandoned) {
    try (TargetPlace place = walk.place(doing, path)) {
      if (abandoned.getAsBoolean()) {
        // No caller is told any more; what is there by now may be wanted.
        return Outcome.MISSING;
      }
      // What it is shows by what the kernel refuses; a look at it could come too late.
      int removed = place.remove(true);
      if (removed == -Abi.ENOTDIR) {
        removed = isEmptyFile(doing, place) ? place.remove(false) : -Abi.ENOTEMPTY;
      }
      return switch (-removed) {
        case 0 -> Outcome.REMOVED;
        case Abi.ENOENT -> Outcome.MISSING;
        case Abi.ENOTEMPTY, Abi.EEXIST -> Outcome.NOT_EMPTY;
        default -> throw ErrnoMeaning.of(doing, "unlinkat", removed, path).build();
      };
    } catch (MountException e) {
      if (Unmounter.isNowhere(e)) {
        return Outcome.MISSING;
      }
      throw e;
    }
  }

  /** Whether it is a file without content; one that is mounted is refused. */
  private boolean isEmptyFile(String doing, TargetPlace place) {
    try (Descriptor file = openUnmounted(doing, place)) {
      // What the server says, not what was heard of it before: no content may be lost. If the
      // server hangs, so would the removal.
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
    if (file == -Abi.EXDEV || (file >= 0 && table.probe(place.path()).isMount())) {
      if (file >= 0) {
        calls.close(file);
      }
      throw ErrnoMeaning.of(doing, "unlinkat", -Abi.EBUSY, place.path()).build();
    }
    if (file < 0) {
      throw ErrnoMeaning.of(doing, "openat", file, place.path()).build();
    }
    return new Descriptor(calls, file);
  }

  private static MountException tooMany(MountPath path) {
    return MountException.builder(
            Reason.LIMIT,
            "Unmounting "
                + path
                + " was given up: "
                + MOST_MOUNTS
                + " mounts were on top of each other there and were taken away, and it may be that"
                + " somebody mounts there again and again. Find out who, then try again.")
        .target(path)
        .build();
  }
}
