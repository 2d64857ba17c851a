package io.csi4j.mount.internal.change;

import io.csi4j.mount.internal.kernel.Abi;
import io.csi4j.mount.internal.kernel.ErrnoMeaning;
import io.csi4j.mount.internal.kernel.Feature;
import io.csi4j.mount.internal.kernel.Kernel;
import io.csi4j.mount.model.BindRequest;
import io.csi4j.mount.model.KernelText;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountException.Reason;
import io.csi4j.mount.model.MountRecord;
import io.csi4j.mount.model.MountRef;
import io.csi4j.mount.model.MountResult;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

/**
 * One bind mount. On newer kernels, a copy of the source's tree gets its flags before it is
 * visible, and is attached with descriptors only ({@code open_tree}, {@code mount_setattr}, {@code
 * move_mount}). Every kernel has {@code mount}, used with descriptors so that no path is walked;
 * the flags are set after it, so a read-only bind is writable for a moment.
 */
final class Bind extends NewMount {

  private static final int ATTACH = Abi.MOVE_MOUNT_F_EMPTY_PATH | Abi.MOVE_MOUNT_T_EMPTY_PATH;
  private static final byte[] DELETED = " (deleted)".getBytes(StandardCharsets.US_ASCII);

  private final BindRequest request;
  private final Remount remount;

  Bind(Kernel kernel, Walk walk, BindRequest request) {
    super(
        kernel,
        walk,
        "Binding " + request.source() + " to " + request.target(),
        KernelText.ofBytes(request.source().bytes()),
        request.target(),
        request.createTarget());
    this.request = request;
    this.remount = new Remount(kernel, walk, mounts);
    FlagBits.check(doing, request.flags());
  }

  @Override
  public MountResult run(BooleanSupplier abandoned) {
    try (Descriptor source = openSource()) {
      return atTarget(source::isDirectory, spot -> on(spot, source));
    }
  }

  private MountResult on(Spot spot, Descriptor source) {
    MountRecord from = mounts.record(source).orElseThrow(this::detachedSource);
    Optional<MountRecord> occupant = spot.occupant();
    if (occupant.isPresent()) {
      return sameOrRefuse(source, from, occupant.get());
    }
    boolean isDirectory = source.isDirectory();
    if (isDirectory != spot.node.isDirectory()) {
      throw failure(
          Reason.WRONG_KIND,
          " failed: the source is "
              + (isDirectory ? "a directory and the target is not" : "no directory, the target is")
              + ". Bind directories on directories and files on files.");
    }
    MountRef bound = attachTree(source, spot).orElseGet(() -> mountPlainly(source, from, spot));
    return new MountResult(bound, true);
  }

  private Descriptor openSource() {
    return request.followSource()
        ? walk.linkedSource(doing, request.source())
        : walk.source(doing, request.source());
  }

  private MountException detachedSource() {
    return MountException.builder(
            Reason.BAD_SOURCE,
            doing
                + " failed: the mount of the source was unmounted meanwhile. Mount it"
                + " again.")
        .target(target)
        .build();
  }

  private MountResult sameOrRefuse(Descriptor source, MountRecord from, MountRecord occupant) {
    Occupant there = new Occupant(occupant);
    there.expect("device", occupant.device(), from.device());
    there.expect("root", occupant.root(), root(source, from));
    there.expectFlags(FlagBits.sum(from.flags(), request.flags()));
    request.propagation().ifPresent(wanted -> there.expectPropagation(from, wanted));
    return there.sameOrRefuse();
  }

  /**
   * Returns the directory or file of the filesystem that the source shows, which is the root of a
   * bind of it: the root of its mount, followed by the path from there to the source. That path is
   * the kernel's path of the open source, so links on the way to it do not matter.
   */
  private KernelText root(Descriptor source, MountRecord mount) {
    byte[] out = new byte[Abi.PATH_MAX];
    int length = kernel.calls().readlinkat(Abi.AT_FDCWD, source.link(), out);
    if (length <= 0) {
      throw MountException.builder(
              Reason.NO_MOUNT_TABLE,
              "The source of a bind cannot be determined: /proc/self/fd does not show it. Mount"
                  + " proc at /proc.")
          .build();
    }
    int end =
        mount.isDeleted() && endsWith(out, length, DELETED) ? length - DELETED.length : length;
    // The slash after the path of the mount belongs to the rest.
    int prefix = mount.path().isRoot() ? 0 : mount.path().bytes().length;
    byte[] way = Arrays.copyOfRange(out, Math.min(prefix, end), end);
    if (way.length == 0) {
      return mount.root();
    }
    byte[] root = mount.root().bytes();
    int keep = root.length == 1 ? 0 : root.length;
    byte[] joined = Arrays.copyOf(root, keep + way.length);
    System.arraycopy(way, 0, joined, keep, way.length);
    return KernelText.ofBytes(joined);
  }

  private static boolean endsWith(byte[] path, int length, byte[] end) {
    return length >= end.length
        && Arrays.equals(path, length - end.length, length, end, 0, end.length);
  }

  /** Returns the mount; empty if the kernel, or a filter before it, does not offer these calls. */
  private Optional<MountRef> attachTree(Descriptor source, Spot spot) {
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
      int node = spot.node.number();
      int attached =
          kernel.calls().moveMount(tree.number(), Abi.emptyPath(), node, Abi.emptyPath(), ATTACH);
      return isMissing("move_mount", attached)
          ? Optional.empty()
          : Optional.of(finished(tree, spot.place));
    }
  }

  /** Returns whether the call is not available; old filters report that as {@code EPERM}. */
  private boolean isMissing(String call, int result) {
    if (result >= 0) {
      return false;
    }
    if (result == -Abi.ENOSYS || result == -Abi.EPERM) {
      return true;
    }
    throw failure(ErrnoMeaning.Work.BIND, call, result);
  }

  private MountRef finished(Descriptor tree, TargetPlace place) {
    boolean done = false;
    try {
      // Set only now: a shared parent has just made the mount shared too.
      setPropagation(tree);
      MountRecord record = mounts.record(tree).orElseThrow(this::exchanged);
      if (!isOnTop(tree, place) && !mounts.isCovered(record)) {
        throw exchanged();
      }
      done = true;
      return record.ref();
    } finally {
      if (!done) {
        takeAway(tree);
      }
    }
  }

  /** Returns whether the path leads to the mount; it does not if the directory was exchanged. */
  private boolean isOnTop(Descriptor tree, TargetPlace place) {
    try (Descriptor onTop = place.open(doing)) {
      return mounts.id(onTop.number()) == mounts.id(tree.number());
    }
  }

  private void setPropagation(Descriptor mounted) {
    request
        .propagation()
        .ifPresent(
            wanted -> remount.propagation(doing, mounted, target, wanted, request.recursive()));
  }

  private MountRef mountPlainly(Descriptor source, MountRecord from, Spot spot) {
    long bits = Abi.MS_BIND | (request.recursive() ? Abi.MS_REC : 0);
    int bound = kernel.calls().mount(source.link(), spot.node.link(), null, bits, null);
    if (bound < 0) {
      throw failure(ErrnoMeaning.Work.BIND, "mount", bound);
    }
    Predicate<MountRecord> isOurs = it -> it.device().equals(from.device());
    boolean found = false;
    try (Descriptor mounted = spot.place.open(doing)) {
      MountRecord record = mountedOn(spot, mounted, isOurs);
      found = true;
      finish(mounted, record);
      return record.ref();
    } finally {
      if (!found) {
        takeAwayMoved(spot, isOurs);
      }
    }
  }

  private void finish(Descriptor mounted, MountRecord record) {
    boolean done = false;
    try {
      if (!request.flags().isEmpty()) {
        remount.add(doing, mounted, record, request.flags(), request.recursive());
      }
      setPropagation(mounted);
      done = true;
    } finally {
      if (!done) {
        takeAway(mounted);
      }
    }
  }
}
