package io.csi4j.volume.internal.engine;

import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.internal.layout.VolumeLayout;
import io.csi4j.volume.internal.lifecycle.Failure;
import io.csi4j.volume.internal.port.KernelMounts;
import io.csi4j.volume.internal.port.KernelMounts.ShownDirectory;
import io.csi4j.volume.internal.port.Sighting;
import io.csi4j.volume.internal.record.Evidence;
import io.csi4j.volume.internal.record.PathRecord;
import io.csi4j.volume.internal.record.TargetRecord;
import io.csi4j.volume.internal.record.VolumeRecord;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.node.PathStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Determines the origin of a mount or device that a plugin has created: the volume itself, a
 * directory of the host, or another volume. Safe for use by many threads.
 */
final class MountOrigins {

  private static final List<String> WITH_ALL_IN_THEM = List.of("/etc", "/proc", "/sys", "/dev");
  private static final List<String> BY_THEMSELVES = List.of("/", "/run");

  private final KernelMounts kernel;
  private final VolumeLayout layout;
  private final VolumeIndex index;

  /**
   * The volumes, by the recorded appearance of their mounts. Mounts of several volumes may have the
   * same appearance.
   */
  private final ConcurrentMap<Evidence.Looks, Set<VolumeIdentity>> known =
      new ConcurrentHashMap<>();

  /** The volumes that have a path without a recorded mount. */
  private final Set<VolumeIdentity> unknown = ConcurrentHashMap.newKeySet();

  /**
   * The device and directory behind each path, determined on first use; a host does not move these
   * directories.
   */
  private final Map<MountPath, Optional<ShownDirectory>> places = new ConcurrentHashMap<>();

  MountOrigins(KernelMounts kernel, VolumeLayout layout, VolumeIndex index) {
    this.kernel = kernel;
    this.layout = layout;
    this.index = index;
  }

  // ---- records

  /** Adds a record. Call this before the record becomes visible to other threads. */
  void begins(VolumeRecord volume) {
    for (PathRecord path : paths(volume)) {
      if (path.evidence().isPresent()) {
        known.merge(path.evidence().get().looks(), Set.of(volume.identity()), MountOrigins::with);
      } else if (mayShowAnything(path)) {
        unknown.add(volume.identity());
      }
    }
  }

  /**
   * Removes an old record. Call this after the present record has become visible to other threads;
   * the present record is empty if the volume is gone.
   */
  void ended(VolumeRecord volume, Optional<VolumeRecord> now) {
    VolumeIdentity identity = volume.identity();
    List<PathRecord> left = now.map(MountOrigins::paths).orElse(List.of());
    if (left.stream().noneMatch(MountOrigins::mayShowAnything)) {
      unknown.remove(identity);
    }
    for (PathRecord path : paths(volume)) {
      path.evidence()
          .map(Evidence::looks)
          .filter(looks -> left.stream().noneMatch(it -> isKnownAs(it, looks)))
          .ifPresent(looks -> known.computeIfPresent(looks, (key, all) -> without(all, identity)));
    }
  }

  /**
   * Returns the union of two sets. Thousands of volumes may have the same appearance, so a set with
   * several elements is changed in place.
   */
  private static Set<VolumeIdentity> with(Set<VolumeIdentity> some, Set<VolumeIdentity> more) {
    if (some.containsAll(more)) {
      return some;
    }
    Set<VolumeIdentity> all = some;
    if (some.size() == 1) {
      all = ConcurrentHashMap.newKeySet();
      all.addAll(some);
    }
    all.addAll(more);
    return all;
  }

  private static @Nullable Set<VolumeIdentity> without(
      Set<VolumeIdentity> all, VolumeIdentity identity) {
    if (all.size() > 1) {
      all.remove(identity);
      return all;
    }
    return all.contains(identity) ? null : all;
  }

  private static List<PathRecord> paths(VolumeRecord volume) {
    List<PathRecord> paths = new ArrayList<>(1 + volume.targets().size());
    paths.add(volume.staging());
    for (TargetRecord target : volume.targets().values()) {
      paths.add(target.path());
    }
    return paths;
  }

  private Optional<ShownDirectory> shown(MountPath place) {
    return places.computeIfAbsent(place, kernel::shown);
  }

  // ---- mounts

  /** Returns why a mount cannot belong to a volume; empty if it may belong to the volume. */
  Optional<Failure> objection(VolumeIdentity identity, Sighting mount) {
    Optional<String> place =
        Stream.concat(
                WITH_ALL_IN_THEM.stream().filter(it -> isIn(MountPath.of(it), mount)),
                BY_THEMSELVES.stream().filter(it -> is(MountPath.of(it), mount)))
            .findFirst();
    if (place.isPresent()) {
      return failure("the host's " + place.get());
    }
    boolean isOurs = isIn(layout.root(), mount);
    if (isOurs
        && kernel
            .shown(layout.volume(identity))
            .filter(own -> own.holdsWhatIsShownBy(mount))
            .isEmpty()) {
      return failure("the directory of the manager, " + layout.root());
    }
    return isShared(mount)
        ? Optional.empty()
        : another(identity, mount).flatMap(MountOrigins::failure);
  }

  private static Optional<Failure> failure(String what) {
    return Optional.of(
        Failure.of(
            OperatorCode.MOUNT_IS_NOT_ITS_OWN, "the mount of the plugin there shows " + what));
  }

  private boolean is(MountPath place, Sighting mount) {
    return shown(place).filter(it -> it.isShownBy(mount)).isPresent();
  }

  private boolean isIn(MountPath place, Sighting mount) {
    return shown(place).filter(it -> it.holdsWhatIsShownBy(mount)).isPresent();
  }

  /**
   * Returns whether several volumes may share the filesystem of a mount, as two volumes of one file
   * server may.
   */
  private static boolean isShared(Sighting mount) {
    return mount.device().startsWith("0:");
  }

  private Optional<String> another(VolumeIdentity identity, Sighting mount) {
    return Stream.concat(
            known.getOrDefault(mount.evidence().looks(), Set.of()).stream(), unknown.stream())
        .filter(other -> !other.equals(identity))
        .distinct()
        .sorted()
        .flatMap(other -> index.record(other).stream())
        .filter(other -> shows(other, mount))
        .map(VolumeRecord::identity)
        .findFirst()
        .map(other -> "volume '" + other.handle() + "' of plugin '" + other.plugin() + "'");
  }

  /**
   * Returns whether a mount of this volume shows the same content as the given mount. Only paths
   * that may do so according to the record are read.
   */
  private boolean shows(VolumeRecord volume, Sighting mount) {
    VolumeIdentity identity = volume.identity();
    return (mayShow(volume.staging(), mount.evidence())
            && isShownAt(layout.staging(identity), mount))
        || volume.targets().values().stream()
            .filter(use -> mayShow(use.path(), mount.evidence()))
            .anyMatch(use -> isShownAt(layout.target(identity, use.usage()), mount));
  }

  /**
   * Returns whether a path may show this content according to its record. A path without a recorded
   * mount may show any content.
   */
  private static boolean mayShow(PathRecord path, Evidence mount) {
    return path.evidence().map(known -> known.looksLike(mount)).orElse(mayShowAnything(path));
  }

  private static boolean isKnownAs(PathRecord path, Evidence.Looks looks) {
    return path.evidence().map(Evidence::looks).filter(looks::equals).isPresent();
  }

  private static boolean mayShowAnything(PathRecord path) {
    return path.evidence().isEmpty() && !path.is(PathStatus.NONE);
  }

  private boolean isShownAt(MountPath path, Sighting mount) {
    return kernel.at(path).stream()
        .anyMatch(
            it -> it.device().equals(mount.device()) && it.evidence().looksLike(mount.evidence()));
  }

  /** Returns a remark if the mount shows a directory on a disk of the host. */
  Optional<String> remark(Sighting mount) {
    boolean isOfHost =
        Stream.of(MountPath.ROOT, layout.root())
            .map(this::shown)
            .flatMap(Optional::stream)
            .map(ShownDirectory::device)
            .anyMatch(mount.device()::equals);
    return isOfHost
        ? Optional.of(
            "what the plugin mounted is "
                + mount.evidence().root()
                + " on a disk of the host, "
                + mount.evidence().source())
        : Optional.empty();
  }

  // ---- block devices

  /**
   * Returns why a device that the plugin has created for a use cannot belong to the use's volume;
   * empty if it may belong to the volume. The devices of the other volumes are read each time
   * instead of being recorded, because the number of a device changes after a reboot or when a
   * volume is attached again.
   */
  Optional<Failure> objection(VolumeIdentity identity, VolumeUse usage, String device) {
    for (VolumeRecord volume : index.records()) {
      Optional<Failure> objection =
          volume.identity().equals(identity) ? other(volume, usage, device) : taken(volume, device);
      if (objection.isPresent()) {
        return objection;
      }
    }
    return Optional.empty();
  }

  private Optional<Failure> other(VolumeRecord volume, VolumeUse usage, String device) {
    for (VolumeUse other : volume.targets().keySet()) {
      if (!other.equals(usage)) {
        Optional<String> has = kernel.device(layout.target(volume.identity(), other));
        if (has.isPresent() && !has.get().equals(device)) {
          return changed(
              device,
              "and workload '"
                  + other.workload()
                  + "' has device "
                  + has.get()
                  + " for the same volume");
        }
      }
    }
    return Optional.empty();
  }

  private Optional<Failure> taken(VolumeRecord volume, String device) {
    VolumeLayout.Home home = layout.home(volume.identity());
    Stream<MountPath> targets = volume.targets().keySet().stream().map(home::target);
    boolean isTaken =
        volume.plan().block()
            ? targets.map(kernel::device).anyMatch(has -> has.filter(device::equals).isPresent())
            : Stream.concat(Stream.of(home.staging()), targets)
                .flatMap(path -> kernel.at(path).stream())
                .anyMatch(it -> it.device().equals(device));
    return isTaken
        ? changed(
            device,
            "but the device is in use by volume '"
                + volume.identity().handle()
                + "' of plugin '"
                + volume.identity().plugin()
                + "'")
        : Optional.empty();
  }

  private static Optional<Failure> changed(String device, String why) {
    return Optional.of(
        Failure.of(
            OperatorCode.DEVICE_CHANGED, "the plugin made device " + device + " for it, " + why));
  }
}
