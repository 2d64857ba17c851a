package io.csi4j.testkit.mount;

import io.csi4j.mount.model.CleanupResult;
import io.csi4j.mount.model.Holders;
import io.csi4j.mount.model.KernelText;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountException.Reason;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountRecord;
import io.csi4j.mount.model.MountRef;
import io.csi4j.mount.model.RefCheck;
import io.csi4j.mount.model.UnmountPolicy;
import io.csi4j.mount.model.UnmountResult;
import io.csi4j.mount.model.UnmountResult.Step;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** How mounts are taken away: plainly, then by force, then lazily, as the policy allows. */
final class Unmounting {

  private final MemoryNamespace namespace;
  private final MemoryKernel kernel;
  private final MemoryTable table;
  private final Targets targets;

  Unmounting(MemoryNamespace namespace, MemoryTable table, Targets targets) {
    this.namespace = namespace;
    this.kernel = namespace.kernel();
    this.table = table;
    this.targets = targets;
  }

  /**
   * Takes away the mount on top at a path.
   *
   * @param only the mount that it has to be, if not any
   */
  UnmountResult unmount(MountPath path, @Nullable MountRef only, UnmountPolicy policy) {
    String doing = "Unmounting " + path;
    if (path.isRoot()) {
      throw KernelErrors.refused(
              Reason.NOT_PERMITTED,
              doing,
              "it is the root directory",
              "Name a mount below it",
              path)
          .build();
    }
    targets.checkWithin(doing, path);
    Mount mount = mountAt(path);
    if (only != null && !isOnTop(doing, only, mount)) {
      mount = null;
    }
    if (mount == null) {
      return new UnmountResult(Step.NOT_MOUNTED, Optional.empty(), 1, false);
    }
    return climb(doing, mount, policy);
  }

  private @Nullable Mount mountAt(MountPath path) {
    try {
      Targets.Target target = targets.open(path, false, false);
      return target.isOccupied() ? target.place().mount() : null;
    } catch (KernelRefusal e) {
      if (e.number() == KernelRefusal.ENOENT || e.number() == KernelRefusal.ENOTDIR) {
        return null;
      }
      throw e;
    }
  }

  private boolean isOnTop(String doing, MountRef ref, @Nullable Mount top) {
    RefCheck check = table.check(ref);
    if (check instanceof RefCheck.Gone) {
      return false;
    }
    if (check instanceof RefCheck.Moved moved) {
      throw KernelErrors.refused(
              Reason.NOT_A_MOUNT,
              doing,
              ref + " is at " + moved.to().path() + " now",
              "Unmount it there",
              ref.path())
          .build();
    }
    if (top != null && top != table.mount(ref)) {
      MountRecord occupant = Records.record(top, kernel.boot());
      throw KernelErrors.refused(
              Reason.TARGET_OCCUPIED,
              doing,
              "another mount is there or on top of it: " + occupant,
              "Unmount that one first",
              ref.path())
          .occupant(occupant)
          .build();
    }
    return true;
  }

  private UnmountResult climb(String doing, Mount mount, UnmountPolicy policy) {
    MountRef ref = Records.ref(mount, kernel.boot());
    int attempts = 1;
    if (attempt(mount, kernel.model()::unmount)) {
      return new UnmountResult(Step.PLAIN, Optional.of(ref), attempts, false);
    }
    if (policy.force()) {
      kernel.model().giveUp(mount);
      attempts += 2;
      if (attempt(mount, kernel.model()::unmount)) {
        return new UnmountResult(Step.FORCED, Optional.of(ref), attempts, false);
      }
    }
    if (policy.lazy()) {
      attempts++;
      if (attempt(mount, kernel.model()::detach)) {
        return new UnmountResult(Step.LAZY, Optional.of(ref), attempts, true);
      }
    }
    Holders holders = Records.holders(mount, kernel.model(), kernel.boot());
    throw KernelErrors.refused(
            Reason.BUSY,
            doing,
            "it is in use after " + attempts + " attempts; it is held by " + holders.ofMount(),
            "End that use, or allow a lazy unmount",
            mount.path())
        .syscall("umount2", new KernelRefusal(KernelRefusal.EBUSY).errno())
        .holders(holders)
        .build();
  }

  /** Whether it was done; false if it is busy. */
  private boolean attempt(Mount mount, Consumer<Mount> call) {
    try {
      kernel.faults().pass(KernelCall.UNMOUNT);
      call.accept(mount);
      return true;
    } catch (KernelRefusal e) {
      if (e.number() == KernelRefusal.EBUSY) {
        return false;
      }
      throw e;
    }
  }

  CleanupResult cleanup(MountPath path, UnmountPolicy policy) {
    List<UnmountResult> unmounted = new ArrayList<>();
    try {
      UnmountResult result = unmount(path, null, policy);
      while (result.step() != Step.NOT_MOUNTED) {
        unmounted.add(result);
        result = unmount(path, null, policy);
      }
      return new CleanupResult(remove(path), unmounted, Optional.empty());
    } catch (KernelRefusal e) {
      return stillMounted(
          path, unmounted, KernelErrors.of("Unmounting " + path, "umount2", e, path).build());
    } catch (Faults.KernelHang e) {
      return stillMounted(path, unmounted, KernelErrors.hang("Unmounting " + path, path));
    } catch (MountException e) {
      return stillMounted(path, unmounted, e);
    }
  }

  private CleanupResult stillMounted(
      MountPath path, List<UnmountResult> unmounted, MountException problem) {
    if (table.probe(path).isMount()) {
      return new CleanupResult(
          CleanupResult.Outcome.STILL_MOUNTED, unmounted, Optional.of(problem));
    }
    throw problem;
  }

  private CleanupResult.Outcome remove(MountPath path) {
    try {
      kernel.faults().pass(KernelCall.REMOVE);
      MountedFile directory = targets.directory(path);
      Node node = Walker.child(directory, KernelText.ofBytes(path.name()));
      if (!node.isDirectory() && !node.isRemovable()) {
        return CleanupResult.Outcome.NOT_EMPTY;
      }
      kernel.model().remove(namespace.current(), directory, path);
      return CleanupResult.Outcome.REMOVED;
    } catch (KernelRefusal e) {
      return switch (e.number()) {
        case KernelRefusal.ENOENT, KernelRefusal.ENOTDIR -> CleanupResult.Outcome.MISSING;
        case KernelRefusal.ENOTEMPTY, KernelRefusal.EEXIST -> CleanupResult.Outcome.NOT_EMPTY;
        default -> throw KernelErrors.of("Removing " + path, "unlinkat", e, path).build();
      };
    }
  }
}
