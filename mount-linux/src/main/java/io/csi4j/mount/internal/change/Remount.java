package io.csi4j.mount.internal.change;

import io.csi4j.mount.internal.kernel.Abi;
import io.csi4j.mount.internal.kernel.ErrnoMeaning;
import io.csi4j.mount.internal.kernel.Feature;
import io.csi4j.mount.internal.kernel.Kernel;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountException.Reason;
import io.csi4j.mount.model.MountFlag;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountRecord;
import io.csi4j.mount.model.MountRef;
import io.csi4j.mount.model.Propagation;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;

/**
 * Changes existing mounts: adds flags, and sets the propagation. Only the mounts change, never
 * their filesystems.
 *
 * <p>Flags are added to a whole tree at once if the kernel supports that; otherwise to one mount
 * after the other, and the changed ones are reset if one fails.
 */
final class Remount {

  private final Kernel kernel;
  private final Walk walk;
  private final MountOf mounts;

  Remount(Kernel kernel, Walk walk, MountOf mounts) {
    this.kernel = kernel;
    this.walk = walk;
    this.mounts = mounts;
  }

  MountRef setReadOnly(String doing, MountPath path, boolean recursive, BooleanSupplier abandoned) {
    return change(
        doing,
        path,
        abandoned,
        (mount, record) -> add(doing, mount, record, Set.of(MountFlag.READ_ONLY), recursive));
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
        (mount, record) -> propagation(doing, mount, path, propagation, recursive));
  }

  private MountRef change(
      String doing,
      MountPath path,
      BooleanSupplier abandoned,
      BiConsumer<Descriptor, MountRecord> change) {
    if (walk.isBase(path)) {
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
      BiConsumer<Descriptor, MountRecord> change) {
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
    // If the caller has given up, the present state may be intended.
    if (!abandoned.getAsBoolean()) {
      change.accept(mount, record.get());
    }
    return record.get().ref();
  }

  /**
   * Adds flags.
   *
   * @param mount the root of the mount
   * @param record the mount
   * @param recursive whether the mounts below it also get them
   */
  void add(
      String doing,
      Descriptor mount,
      MountRecord record,
      Collection<MountFlag> flags,
      boolean recursive) {
    int set = -Abi.ENOSYS;
    if (kernel.features().has(Feature.MOUNT_SETATTR)) {
      set = add(mount, flags, recursive);
    }
    if (set == -Abi.ENOSYS || set == -Abi.EPERM) {
      oneByOne(doing, mount, record, flags, recursive);
    } else if (set < 0) {
      throw ErrnoMeaning.of(ErrnoMeaning.Work.REMOUNT, doing, "mount_setattr", set, record.path())
          .build();
    }
  }

  /** Adds flags in one call; returns an error as a negative number. */
  int add(Descriptor mount, Collection<MountFlag> flags, boolean recursive) {
    int how = Abi.AT_EMPTY_PATH | (recursive ? Abi.AT_RECURSIVE : 0);
    return kernel
        .calls()
        .mountSetattr(mount.number(), Abi.emptyPath(), how, FlagBits.adding(flags));
  }

  /** Sets the propagation of the mount. Every kernel has this call. */
  void propagation(
      String doing, Descriptor mount, MountPath about, Propagation propagation, boolean recursive) {
    long bits =
        switch (propagation) {
          case PRIVATE -> Abi.MS_PRIVATE;
          case HOST_TO_CONTAINER -> Abi.MS_SLAVE;
          case BIDIRECTIONAL -> Abi.MS_SHARED;
        };
    int set = remount(mount, bits | (recursive ? Abi.MS_REC : 0));
    if (set < 0) {
      throw ErrnoMeaning.of(ErrnoMeaning.Work.REMOUNT, doing, "mount", set, about).build();
    }
  }

  private void oneByOne(
      String doing,
      Descriptor mount,
      MountRecord record,
      Collection<MountFlag> flags,
      boolean recursive) {
    List<MountRecord> done = new ArrayList<>();
    try {
      addToOne(doing, mount, record, flags);
      done.add(record);
      if (recursive) {
        for (MountRecord each : mounts.below(record)) {
          try (Descriptor below = open(doing, mount, record, each)) {
            addToOne(doing, below, each, flags);
            done.add(each);
          }
        }
      }
    } catch (MountException e) {
      for (MountRecord each : done) {
        reset(doing, mount, record, each, e);
      }
      throw e;
    }
  }

  private void addToOne(
      String doing, Descriptor mount, MountRecord record, Collection<MountFlag> flags) {
    int set = remount(mount, exactly(FlagBits.sum(record.flags(), flags)));
    if (set < 0) {
      throw ErrnoMeaning.of(ErrnoMeaning.Work.REMOUNT, doing, "mount", set, record.path()).build();
    }
  }

  private void reset(
      String doing, Descriptor top, MountRecord topRecord, MountRecord each, MountException first) {
    if (each.equals(topRecord)) {
      remount(top, exactly(each.flags()));
      return;
    }
    try (Descriptor below = open(doing, top, topRecord, each)) {
      remount(below, exactly(each.flags()));
    } catch (MountException e) {
      first.addSuppressed(e);
    }
  }

  private Descriptor open(String doing, Descriptor top, MountRecord topRecord, MountRecord each) {
    Descriptor opened = walk.inside(doing, top, topRecord.path(), each.path());
    boolean isKept = false;
    try {
      if (mounts.textId(opened.number()) != each.id()) {
        throw hidden(doing, each);
      }
      isKept = true;
      return opened;
    } finally {
      if (!isKept) {
        opened.close();
      }
    }
  }

  private static MountException hidden(String doing, MountRecord each) {
    return MountException.builder(
            Reason.UNSUPPORTED,
            doing
                + " failed: the mount "
                + each.ref()
                + " below it is hidden by another one, and this kernel changes only what can be"
                + " reached. Unmount the upper one, or use Linux 5.12 or newer.")
        .target(each.path())
        .build();
  }

  private int remount(Descriptor mount, long bits) {
    return kernel.calls().mount(null, mount.link(), null, bits, null);
  }

  private static long exactly(Collection<MountFlag> flags) {
    return Abi.MS_REMOUNT | Abi.MS_BIND | FlagBits.exactly(flags);
  }
}
