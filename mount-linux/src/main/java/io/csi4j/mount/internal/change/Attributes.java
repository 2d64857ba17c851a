package io.csi4j.mount.internal.change;

import io.csi4j.mount.internal.kernel.Kernel;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountException.Reason;
import io.csi4j.mount.model.MountFlag;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountRecord;
import io.csi4j.mount.model.MountRef;
import io.csi4j.mount.model.Propagation;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;

/** Changes what a mount that is there allows and shares. */
final class Attributes {

  private final Walk walk;
  private final MountOf mounts;
  private final Remount remount;
  private final MountPath base;

  Attributes(Kernel kernel, Walk walk, MountPath base) {
    this.walk = walk;
    this.mounts = new MountOf(kernel);
    this.remount = new Remount(kernel, walk, mounts);
    this.base = base;
  }

  MountRef setReadOnly(String doing, MountPath path, boolean recursive, BooleanSupplier abandoned) {
    return change(
        doing,
        path,
        abandoned,
        (mount, record) -> {
          remount.add(doing, mount, record, Set.of(MountFlag.READ_ONLY), recursive);
          return record.ref();
        });
  }

  MountRef setPropagation(
      String doing,
      MountPath path,
      Propagation propagation,
      boolean recursive,
      BooleanSupplier abandoned) {
    return change(
        doing,
        path,
        abandoned,
        (mount, record) -> {
          remount.propagation(doing, mount, path, propagation, recursive);
          return record.ref();
        });
  }

  private MountRef change(
      String doing,
      MountPath path,
      BooleanSupplier abandoned,
      BiFunction<Descriptor, MountRecord, MountRef> change) {
    if (path.equals(base)) {
      try (Descriptor mount = walk.base(doing)) {
        return change(doing, path, mount, mounts.isRoot(mount), abandoned, change);
      }
    }
    try (TargetPlace place = walk.place(doing, path);
        Descriptor mount = place.open(doing)) {
      boolean isRoot = mounts.id(mount.number()) != mounts.id(place.directory());
      return change(doing, path, mount, isRoot, abandoned, change);
    }
  }

  private MountRef change(
      String doing,
      MountPath path,
      Descriptor mount,
      boolean isRoot,
      BooleanSupplier abandoned,
      BiFunction<Descriptor, MountRecord, MountRef> change) {
    Optional<MountRecord> record = isRoot ? mounts.record(mount) : Optional.empty();
    if (record.isEmpty()) {
      throw MountException.builder(
              Reason.NOT_A_MOUNT,
              doing
                  + " failed: nothing is mounted there. Bind the directory to itself first, or"
                  + " name the mount that it is in.")
          .target(path)
          .build();
    }
    if (abandoned.getAsBoolean()) {
      // No caller is told any more; what is there by now may be meant to stay as it is.
      return record.get().ref();
    }
    return change.apply(mount, record.get());
  }
}
