package io.csi4j.mount.internal.change;

import io.csi4j.mount.internal.kernel.Abi;
import io.csi4j.mount.internal.kernel.ErrnoMeaning;
import io.csi4j.mount.internal.kernel.Feature;
import io.csi4j.mount.internal.kernel.Kernel;
import io.csi4j.mount.model.Errno;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountException.Reason;
import io.csi4j.mount.model.MountFlag;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountRecord;
import io.csi4j.mount.model.Propagation;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * Adds flags to mounts that are there, and sets their propagation. Only the mounts change, never
 * their filesystems.
 *
 * <p>Flags are added to a whole tree at once where the kernel can; else to one mount after the
 * other, and those done are reset when one fails.
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

  /**
   * Adds flags.
   *
   * @param mount the root of the mount
   * @param record the mount
   * @param recursive whether the mounts below get them too
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
      throw failure(doing, "mount_setattr", set, record.path());
    }
  }

  /** Adds flags in one call; gives an error as a number with a minus sign. */
  int add(Descriptor mount, Collection<MountFlag> flags, boolean recursive) {
    int how = Abi.AT_EMPTY_PATH | (recursive ? Abi.AT_RECURSIVE : 0);
    return kernel
        .calls()
        .mountSetattr(mount.number(), Abi.emptyPath(), how, FlagBits.adding(flags));
  }

  /** Sets with whom the mount shares what is mounted below it. Every kernel has this call. */
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
      throw failure(doing, "mount", set, about);
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
      throw failure(doing, "mount", set, record.path());
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
    if (mounts.textId(opened.number()) == each.id()) {
      return opened;
    }
    opened.close();
    throw MountException.builder(
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

  private static MountException failure(String doing, String call, int result, MountPath about) {
    return switch (-result) {
      case Abi.EPERM ->
          MountException.builder(
                  Reason.NOT_PERMITTED,
                  doing
                      + " failed: this process may not change the mount, or one of its flags is"
                      + " locked by the namespace above. Ask for the flags that it has, or do it"
                      + " in the namespace where it was made.")
              .syscall(call, new Errno(Abi.EPERM))
              .target(about)
              .build();
      case Abi.EBUSY ->
          MountException.builder(
                  Reason.BUSY,
                  doing
                      + " failed: a file of it is open for writing. Ask Mounts.whoHolds by whom,"
                      + " and end that first.")
              .syscall(call, new Errno(Abi.EBUSY))
              .target(about)
              .build();
      default -> ErrnoMeaning.of(doing, call, result, about).build();
    };
  }
}
