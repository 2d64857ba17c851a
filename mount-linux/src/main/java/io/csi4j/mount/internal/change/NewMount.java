package io.csi4j.mount.internal.change;

import io.csi4j.mount.internal.kernel.Abi;
import io.csi4j.mount.internal.kernel.ErrnoMeaning;
import io.csi4j.mount.internal.kernel.Kernel;
import io.csi4j.mount.model.KernelText;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountException.Reason;
import io.csi4j.mount.model.MountFlag;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountRecord;
import io.csi4j.mount.model.MountRef;
import io.csi4j.mount.model.MountResult;
import io.csi4j.mount.model.Propagation;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Makes a mount at a target: walks to the target, mounts, and undoes the mount if the caller has
 * given up.
 */
abstract class NewMount implements MountCallPool.Work<MountResult> {

  /** Maximum number of searches for a mount that was moved. */
  private static final int TRIES = 1000;

  final Kernel kernel;
  final Walk walk;
  final MountOf mounts;

  /** A description of the work, for messages. */
  final String doing;

  final MountPath target;
  private final KernelText source;
  private final boolean createTarget;
  private boolean made;

  NewMount(
      Kernel kernel,
      Walk walk,
      String doing,
      KernelText source,
      MountPath target,
      boolean createTarget) {
    this.kernel = kernel;
    this.walk = walk;
    this.mounts = new MountOf(kernel);
    this.doing = doing;
    this.source = source;
    this.target = target;
    this.createTarget = createTarget;
  }

  /** Mounts on the spot, unless an equal mount is there already. */
  interface Mounting {
    MountResult on(Spot spot);
  }

  /**
   * Mounts at the target, which is created if that was requested, and removed again if the work
   * fails.
   *
   * @param isDirectory whether to create a directory rather than a file
   */
  MountResult atTarget(BooleanSupplier isDirectory, Mounting work) {
    try (TargetPlace place = walk.place(doing, target);
        Spot spot = spot(place, isDirectory.getAsBoolean())) {
      boolean done = false;
      try {
        MountResult result = work.on(spot);
        done = true;
        made = spot.made;
        return result;
      } finally {
        if (!done) {
          spot.removeIfMade();
        }
      }
    }
  }

  @Override
  public boolean canUndo() {
    return true;
  }

  /** Unmounts the mount, unless another one is at its path by now. */
  @Override
  public void undo(MountResult result) {
    if (!result.created()) {
      return;
    }
    try (TargetPlace place = walk.place(doing, target)) {
      boolean isDirectory;
      try (Descriptor node = place.open(doing)) {
        MountRef.Identity ours = result.ref().identity();
        if (mounts.record(node).filter(there -> there.ref().identity().equals(ours)).isEmpty()) {
          return;
        }
        isDirectory = node.isDirectory();
        takeAway(node);
      }
      if (made) {
        place.remove(isDirectory);
      }
    }
  }

  /**
   * Unmounts the mount whose root is open, with all later mounts below it. If another mount covers
   * it, it stays: the kernel would unmount the upper one.
   */
  void takeAway(Descriptor root) {
    if (!isCovered(root)) {
      // Lazily, as the descriptor itself keeps it in use. No link is followed except the
      // descriptor's own.
      kernel.calls().umount2(root.link(), Abi.MNT_DETACH);
    }
  }

  private boolean isCovered(Descriptor root) {
    try {
      return mounts.record(root).filter(mounts::isCovered).isPresent();
    } catch (MountException unreadable) {
      // Leaving nothing behind matters more than this mount, which nothing can use yet.
      return false;
    }
  }

  /**
   * Returns the mount that was just made on a spot.
   *
   * @param root the root of the mount or file that is at the target now
   * @param isOurs the expected properties of the mount
   * @throws MountException if the target was exchanged
   */
  MountRecord mountedOn(Spot spot, Descriptor root, Predicate<MountRecord> isOurs) {
    return mounts
        .record(root)
        .filter(it -> mounts.id(root.number()) != mounts.id(spot.node.number()))
        .filter(isOurs)
        .orElseThrow(this::exchanged);
  }

  /**
   * Unmounts the mount on a spot that has another path by now, because another process moved it at
   * the same moment. The spot's own descriptor leads below the mount, so the mount is searched by
   * path.
   *
   * @param isOurs the expected properties of the mount
   */
  void takeAwayMoved(Spot spot, Predicate<MountRecord> isOurs) {
    Walk everywhere = new Walk(kernel, MountPath.ROOT);
    for (int i = 0; i < TRIES; i++) {
      byte[] path = new byte[Abi.PATH_MAX];
      int length = kernel.calls().readlinkat(Abi.AT_FDCWD, spot.node.link(), path);
      if (length <= 0 || path[0] != '/') {
        return;
      }
      MountPath now = MountPath.ofBytes(Arrays.copyOf(path, length));
      try (Descriptor there = everywhere.source(doing, now)) {
        if (mounts.id(there.number()) != mounts.id(spot.node.number())
            && mounts.record(there).filter(isOurs).isPresent()) {
          takeAway(there);
          return;
        }
      } catch (MountException movedAgain) {
        // Its present path is read once more.
      }
    }
  }

  /** Returns the failure for an error of a system call; its text contains no secret option. */
  MountException failure(ErrnoMeaning.Work work, String call, int result) {
    return ErrnoMeaning.of(work, doing, call, result, target).source(source).build();
  }

  /** Returns a failure or refusal without a system call. */
  MountException failure(Reason reason, String what) {
    return MountException.builder(reason, doing + what).source(source).target(target).build();
  }

  MountException exchanged() {
    return failure(
        Reason.OTHER,
        " was undone: the target was replaced at the same moment. Find out who else changes it, "
            + "and try again.");
  }

  private Spot spot(TargetPlace place, boolean isDirectory) {
    int opened = place.tryOpen();
    if (opened >= 0) {
      return new Spot(place, new Descriptor(kernel.calls(), opened), false, isDirectory);
    }
    int created = -Abi.EEXIST;
    if (createTarget && opened == -Abi.ENOENT) {
      created = place.make(isDirectory);
      if (created < 0 && created != -Abi.EEXIST) {
        String call = isDirectory ? "mkdirat" : "openat";
        throw ErrnoMeaning.of(doing, call, created, place.path()).build();
      }
    }
    boolean isMade = created >= 0;
    try {
      return new Spot(place, place.open(doing), isMade, isDirectory);
    } catch (MountException e) {
      if (isMade) {
        place.remove(isDirectory);
      }
      throw e;
    }
  }

  /** The open directory or file on which is mounted; created if it was missing. */
  final class Spot implements AutoCloseable {

    final TargetPlace place;
    final Descriptor node;
    private final boolean made;
    private final boolean isDirectory;

    private Spot(TargetPlace place, Descriptor node, boolean made, boolean isDirectory) {
      this.place = place;
      this.node = node;
      this.made = made;
      this.isDirectory = isDirectory;
    }

    /** Returns the mount on it. */
    Optional<MountRecord> occupant() {
      return mounts.id(place.directory()) == mounts.id(node.number())
          ? Optional.empty()
          : mounts.record(node);
    }

    private void removeIfMade() {
      if (made) {
        place.remove(isDirectory);
      }
    }

    @Override
    public void close() {
      node.close();
    }
  }

  /** The mount that is already at the target, compared with the requested one. */
  final class Occupant {

    private final MountRecord mount;
    private final List<String> differences = new ArrayList<>();

    Occupant(MountRecord mount) {
      this.mount = mount;
    }

    void expect(String field, Object there, Object wanted) {
      if (!there.equals(wanted)) {
        differ(field, there, wanted);
      }
    }

    void expectFlags(Collection<MountFlag> wanted) {
      expect("flags", words(mount.flags()), words(wanted));
    }

    /**
     * Expects the propagation that a mount from that source has after its propagation was set. A
     * receiving mount shows it only if there was a mount to receive from.
     */
    void expectPropagation(MountRecord from, Propagation wanted) {
      Propagation.Tags there = mount.propagation();
      boolean fits =
          switch (wanted) {
            case PRIVATE -> !there.sends() && !there.receives();
            case HOST_TO_CONTAINER ->
                !there.sends() && (there.receives() || !from.propagation().receives());
            case BIDIRECTIONAL -> there.sends();
          };
      if (!fits) {
        differ("propagation", there, wanted.kernelWord());
      }
    }

    /**
     * Returns the result, if nothing differs.
     *
     * @throws MountException with {@link Reason#TARGET_OCCUPIED}, naming the differences
     */
    MountResult sameOrRefuse() {
      if (differences.isEmpty()) {
        return new MountResult(mount.ref(), false);
      }
      throw MountException.builder(
              Reason.TARGET_OCCUPIED,
              doing
                  + " was refused: another mount is there, "
                  + mount
                  + ". It differs in "
                  + String.join(" and in ", differences)
                  + ". Unmount it first, or choose another target.")
          .target(target)
          .occupant(mount)
          .build();
    }

    private void differ(String field, Object there, Object wanted) {
      differences.add(field + " (" + shown(there) + " instead of " + shown(wanted) + ")");
    }

    private static String shown(Object value) {
      return value instanceof KernelText text ? text.withoutCredentials() : value.toString();
    }

    private static String words(Collection<MountFlag> flags) {
      return flags.isEmpty()
          ? "none"
          : flags.stream().sorted().map(MountFlag::word).collect(Collectors.joining(","));
    }
  }
}
