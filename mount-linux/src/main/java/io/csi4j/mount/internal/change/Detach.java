package io.csi4j.mount.internal.change;

import io.csi4j.mount.internal.kernel.Abi;
import io.csi4j.mount.internal.kernel.Kernel;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountRecord;
import io.csi4j.mount.model.MountRef;
import java.util.Arrays;
import java.util.function.Predicate;

/** Takes back mounts that were just made, and no other. */
final class Detach {

  /** How often a mount is looked for where it may be by now. */
  private static final int TRIES = 1000;

  private final Kernel kernel;
  private final MountOf mounts;

  Detach(Kernel kernel, MountOf mounts) {
    this.kernel = kernel;
    this.mounts = mounts;
  }

  /**
   * Takes away the mount whose root is open, with what was mounted below it since. If another mount
   * covers it, it stays: the kernel would take away the upper one.
   */
  void mount(Descriptor root) {
    if (!isCovered(root)) {
      // Lazily, as the descriptor itself keeps it in use. No link is followed but the descriptor's.
      kernel.calls().umount2(root.link(), Abi.MNT_DETACH);
    }
  }

  private boolean isCovered(Descriptor root) {
    try {
      return mounts.record(root).filter(mounts::isCovered).isPresent();
    } catch (MountException unreadable) {
      // To leave nothing behind is worth more than the mount that no one can have seen yet.
      return false;
    }
  }

  /**
   * Takes away a mount that is not waited for any more, unless another one is at its path by now.
   *
   * @param madeTarget whether the target was made for it, and has to go too
   */
  void undo(Walk walk, String doing, MountRef made, MountPath target, boolean madeTarget) {
    try (TargetPlace place = walk.place(doing, target)) {
      boolean isDirectory;
      try (Descriptor node = place.open(doing)) {
        if (mounts.record(node).filter(there -> isSame(there.ref(), made)).isEmpty()) {
          return;
        }
        isDirectory = node.isDirectory();
        mount(node);
      }
      if (madeTarget) {
        place.remove(isDirectory);
      }
    }
  }

  /**
   * Takes away the mount on a spot that has another name by now, because another process moved it
   * at the very moment. The spot's own descriptor leads below the mount, so it is looked for by
   * name.
   *
   * @param isOurs what the mount on the spot has to be like
   */
  void from(Spot spot, String doing, Predicate<MountRecord> isOurs) {
    Walk walk = new Walk(kernel, MountPath.ROOT);
    for (int i = 0; i < TRIES; i++) {
      byte[] path = new byte[Abi.PATH_MAX];
      int length = kernel.calls().readlinkat(Abi.AT_FDCWD, spot.node().link(), path);
      if (length <= 0 || path[0] != '/') {
        return;
      }
      try (Descriptor there = walk.source(doing, MountPath.ofBytes(Arrays.copyOf(path, length)))) {
        if (mounts.id(there.number()) != mounts.id(spot.node().number())
            && mounts.record(there).filter(isOurs).isPresent()) {
          mount(there);
          return;
        }
      } catch (MountException movedAgain) {
        // Where it is now is asked once more.
      }
    }
  }

  private static boolean isSame(MountRef there, MountRef made) {
    return there.identity().equals(made.identity());
  }
}
