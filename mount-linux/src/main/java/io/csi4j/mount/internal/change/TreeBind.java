package io.csi4j.mount.internal.change;

import io.csi4j.mount.internal.kernel.Abi;
import io.csi4j.mount.internal.kernel.Feature;
import io.csi4j.mount.internal.kernel.Kernel;
import io.csi4j.mount.model.BindRequest;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountRecord;
import io.csi4j.mount.model.MountRef;
import java.util.Optional;

/**
 * The bind of newer kernels: a copy of the source's tree gets its flags before it can be seen, and
 * is attached by descriptors alone ({@code open_tree}, {@code mount_setattr}, {@code move_mount}).
 */
final class TreeBind {

  private static final int ATTACH = Abi.MOVE_MOUNT_F_EMPTY_PATH | Abi.MOVE_MOUNT_T_EMPTY_PATH;

  private final Kernel kernel;
  private final MountOf mounts;
  private final Remount remount;
  private final BindRequest request;
  private final String doing;

  TreeBind(Kernel kernel, MountOf mounts, Remount remount, BindRequest request, String doing) {
    this.kernel = kernel;
    this.mounts = mounts;
    this.remount = remount;
    this.request = request;
    this.doing = doing;
  }

  /** The mount, or nothing if the kernel, or a filter before it, does not offer these calls. */
  Optional<MountRef> attach(Descriptor source, TargetPlace place, Spot spot) {
    if (!kernel.features().has(Feature.OPEN_TREE)
        || (!request.flags().isEmpty() && !kernel.features().has(Feature.MOUNT_SETATTR))) {
      return Optional.empty();
    }
    int how =
        Abi.OPEN_TREE_CLONE
            | Abi.OPEN_TREE_CLOEXEC
            | Abi.AT_EMPTY_PATH
            | (request.recursive() ? Abi.AT_RECURSIVE : 0);
    int opened = kernel.calls().openTree(source.number(), Abi.emptyPath(), how);
    if (isMissing("open_tree", opened)) {
      return Optional.empty();
    }
    try (Descriptor tree = new Descriptor(kernel.calls(), opened)) {
      if (!request.flags().isEmpty()
          && isMissing("mount_setattr", remount.add(tree, request.flags(), request.recursive()))) {
        return Optional.empty();
      }
      int attached =
          kernel
              .calls()
              .moveMount(
                  tree.number(), Abi.emptyPath(), spot.node().number(), Abi.emptyPath(), ATTACH);
      return isMissing("move_mount", attached)
          ? Optional.empty()
          : Optional.of(finished(tree, place));
    }
  }

  /** Whether the call is not to be had; {@code EPERM} is how old filters say so. */
  private boolean isMissing(String call, int result) {
    if (result >= 0) {
      return false;
    }
    if (result == -Abi.ENOSYS || result == -Abi.EPERM) {
      return true;
    }
    throw BindFailure.of(doing, call, result, request);
  }

  private MountRef finished(Descriptor tree, TargetPlace place) {
    boolean done = false;
    try {
      // Only now: a place that is shared has just made the mount shared too.
      request
          .propagation()
          .ifPresent(
              wanted ->
                  remount.propagation(doing, tree, request.target(), wanted, request.recursive()));
      MountRecord record = mounts.record(tree).orElseThrow(this::exchanged);
      if (!isOnTop(tree, place) && !mounts.isCovered(record)) {
        throw exchanged();
      }
      done = true;
      return record.ref();
    } finally {
      if (!done) {
        new Detach(kernel, mounts).mount(tree);
      }
    }
  }

  /** Whether the place leads to the mount; it does not if the directory was exchanged. */
  private boolean isOnTop(Descriptor tree, TargetPlace place) {
    try (Descriptor onTop = place.open(doing)) {
      return mounts.id(onTop.number()) == mounts.id(tree.number());
    }
  }

  private MountException exchanged() {
    return BindFailure.exchanged(doing, request);
  }
}
