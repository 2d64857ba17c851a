package io.csi4j.mount.internal.table;

import io.csi4j.mount.internal.kernel.Kernel;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountException.Reason;
import io.csi4j.mount.model.MountIdentity;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountRecord;
import io.csi4j.mount.model.MountRef;
import io.csi4j.mount.model.RefCheck;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Finds mounts again by the references that were taken of them. */
final class RefChecker {

  private final Kernel kernel;
  private final VisibleMounts visible;
  private final StatmountReader mounts;
  private final MountIds ids;
  private final Function<MountPath, Optional<MountRef>> now;

  /**
   * A checker.
   *
   * @param now the mount that is at a path now
   */
  RefChecker(
      Kernel kernel,
      VisibleMounts visible,
      StatmountReader mounts,
      Function<MountPath, Optional<MountRef>> now) {
    this.kernel = kernel;
    this.visible = visible;
    this.mounts = mounts;
    this.ids = new MountIds(kernel);
    this.now = now;
  }

  /** Returns the fate of the mount; its filesystem is not asked. */
  RefCheck check(MountRef ref) {
    Optional<MountPath> place = place(ref);
    if (place.isEmpty()) {
      return now.apply(ref.path())
          .<RefCheck>map(RefCheck.Replaced::new)
          .orElseGet(RefCheck.Gone::new);
    }
    return place.get().equals(ref.path()) || leadsTo(place.get(), ref.path())
        ? new RefCheck.Present()
        : new RefCheck.Moved(new MountRef(place.get(), ref.bootId(), ref.identity()));
  }

  /** The mounts directly on it. */
  List<MountRecord> children(MountRef ref) {
    if (isOfAnotherBoot(ref)) {
      return List.of();
    }
    if (ref.identity() instanceof MountIdentity.Unique unique) {
      needUniqueIds(ref);
      return mounts.records(ids.below(unique.id())).stream()
          .filter(each -> each.parentUniqueId().orElse(0) == unique.id())
          .toList();
    }
    List<MountRecord> all = visible.matching(record -> true);
    return all.stream()
        .filter(record -> isSame((MountIdentity.Reusable) ref.identity(), record))
        .findFirst()
        .map(parent -> all.stream().filter(each -> VisibleMounts.isOn(parent, each)).toList())
        .orElse(List.of());
  }

  /** Where the mount is now, by the kernel's table; nothing if it is gone. */
  private Optional<MountPath> place(MountRef ref) {
    if (isOfAnotherBoot(ref)) {
      return Optional.empty();
    }
    if (ref.identity() instanceof MountIdentity.Unique unique) {
      needUniqueIds(ref);
      return mounts.path(unique.id());
    }
    MountIdentity.Reusable reusable = (MountIdentity.Reusable) ref.identity();
    return visible.matching(record -> isSame(reusable, record)).stream()
        .map(MountRecord::path)
        .findFirst();
  }

  /** Whether a path leads to that place by symbolic links, as a mount that is seen there says. */
  private boolean leadsTo(MountPath place, MountPath path) {
    return now.apply(path).flatMap(this::place).filter(place::equals).isPresent();
  }

  private boolean isOfAnotherBoot(MountRef ref) {
    return !ref.bootId().equals(kernel.bootId());
  }

  private void needUniqueIds(MountRef ref) {
    if (!kernel.features().hasUniqueIds()) {
      throw MountException.builder(
              Reason.UNSUPPORTED,
              "Checking "
                  + ref
                  + " failed: it was taken by calls that this process cannot make. See"
                  + " MountCapabilities.system() for what keeps them from it.")
          .target(ref.path())
          .build();
    }
  }

  private static boolean isSame(MountIdentity.Reusable identity, MountRecord record) {
    return identity.equals(new MountIdentity.Reusable(record.id(), record.device(), record.root()));
  }
}
