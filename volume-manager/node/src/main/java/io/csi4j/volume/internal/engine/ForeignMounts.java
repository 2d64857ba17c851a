package io.csi4j.volume.internal.engine;

import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountRef;
import io.csi4j.volume.internal.layout.VolumeLayout;
import io.csi4j.volume.internal.lifecycle.Failure;
import io.csi4j.volume.internal.port.KernelMounts;
import io.csi4j.volume.internal.port.Sighting;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.model.VolumeUse;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;

/**
 * Detects and reports mounts that the engine did not request. One kind covers a directory of the
 * manager, or a directory above it, and appeared after the manager was opened. The other kind is
 * inside the manager's directory at a path that is neither a staging path nor a target; a plugin
 * that mounts at a wrong path causes it. Each mount is reported once. This class also detects when
 * the path of the manager's directory leads to another directory, in which the manager's volumes do
 * not appear. Safe for use by many threads.
 */
final class ForeignMounts {

  private static final Subject LOOKING = Subject.of("checking the mounts");

  private final KernelMounts kernel;
  private final VolumeLayout layout;
  private final BooleanSupplier isMoved;

  /** Whether the last check found that the manager's directory had moved. */
  private volatile boolean wasMoved;

  /** The mounts that contained the volumes directory and the state directory at the start. */
  private final Map<MountPath, Optional<MountRef.Identity>> inside;

  /**
   * The mounts that were at the directories that every volume depends on, the highest directory
   * first.
   */
  private final SortedMap<MountPath, Stack> before;

  /**
   * The reported mounts over a directory that have not been removed yet, by the path of the
   * directory.
   */
  private final Map<MountPath, Failure> over = new ConcurrentHashMap<>();

  /** The reported unexpected mounts in the directory of the manager. */
  private final Set<MountPath> unexpected = ConcurrentHashMap.newKeySet();

  /**
   * The mounts at a directory when the manager was opened.
   *
   * @param count the number of mounts
   * @param top the identity of the topmost mount
   */
  private record Stack(int count, Optional<MountRef.Identity> top) {

    static final Stack NONE = new Stack(0, Optional.empty());

    static Stack at(MountPath path, KernelMounts kernel) {
      int count = kernel.at(path).size();
      return count == 0 ? NONE : new Stack(count, kernel.top(path));
    }
  }

  private ForeignMounts(
      KernelMounts kernel,
      VolumeLayout layout,
      BooleanSupplier isMoved,
      Map<MountPath, Optional<MountRef.Identity>> inside,
      SortedMap<MountPath, Stack> before) {
    this.kernel = kernel;
    this.layout = layout;
    this.isMoved = isMoved;
    this.inside = inside;
    this.before = before;
  }

  /**
   * Takes the mounts that are at the directories now as intended. Only later mounts are reported.
   *
   * @param isMoved returns whether the directory of the manager has moved
   */
  static ForeignMounts since(KernelMounts kernel, VolumeLayout layout, BooleanSupplier isMoved) {
    List<MountPath> deepest = List.of(layout.volumes(), layout.state());
    // The mounts that contain the directories are read first. A mount that appears in between is
    // then never mistaken for one that existed before.
    Map<MountPath, Optional<MountRef.Identity>> inside = new HashMap<>();
    deepest.forEach(path -> inside.put(path, mountOf(path, kernel)));
    SortedMap<MountPath, Stack> before = new TreeMap<>();
    for (MountPath path : deepest) {
      before.put(path, Stack.at(path, kernel));
    }
    // A mount over the root directory of the host is invisible to a running process.
    for (MountPath path = layout.root(); !path.isRoot(); path = path.parent()) {
      before.put(path, Stack.at(path, kernel));
    }
    return new ForeignMounts(
        kernel, layout, isMoved, inside, Collections.unmodifiableSortedMap(before));
  }

  private static Optional<MountRef.Identity> mountOf(MountPath path, KernelMounts kernel) {
    try {
      return kernel.mountOf(path);
    } catch (MountException e) {
      // Without this value, the mounts at each directory are read for each check.
      return Optional.empty();
    }
  }

  // ---- over its directories

  /**
   * Returns a failure if a mount covers the directory of the manager or a directory above it, or if
   * the directory has moved.
   */
  Optional<Failure> seen() {
    return isUncovered(List.of(layout.volumes())) ? moved() : seenAtEach();
  }

  /**
   * Returns whether it is certain that these directories and the state directory are in the same
   * mounts as at the start. Then nothing was mounted over them or over a directory above them. The
   * answer false proves nothing.
   *
   * <p>The check walks through the parent directories, and would wait for the server of a mount
   * that covers one of them. Therefore the check runs only while the kernel watch reports new
   * mounts and no covering mount is known.
   *
   * @param nested the directory of all volumes, then directories that are each inside the previous
   *     one
   */
  private boolean isUncovered(List<MountPath> nested) {
    if (!over.isEmpty() || !kernel.isWatched()) {
      return false;
    }
    try {
      Optional<MountRef.Identity> state = inside(layout.state());
      return state.isPresent()
          && kernel.mountOf(layout.state()).equals(state)
          && areInside(nested, inside(layout.volumes()));
    } catch (MountException e) {
      // The check of each directory, which follows, reports the failure.
      return false;
    }
  }

  private Optional<MountRef.Identity> inside(MountPath directory) {
    return inside.getOrDefault(directory, Optional.empty());
  }

  private boolean areInside(List<MountPath> nested, Optional<MountRef.Identity> mount) {
    if (mount.isEmpty()) {
      return false;
    }
    Optional<MountRef.Identity> deepest = kernel.mountOf(nested.get(nested.size() - 1));
    if (deepest.isPresent()) {
      return deepest.equals(mount);
    }
    // If this directory does not exist, no directory inside it exists either.
    for (MountPath each : nested) {
      Optional<MountRef.Identity> found = kernel.mountOf(each);
      if (found.isEmpty()) {
        return !each.equals(layout.volumes());
      }
      if (!found.equals(mount)) {
        return false;
      }
    }
    return true;
  }

  private Optional<Failure> seenAtEach() {
    for (MountPath path : before.keySet()) {
      Optional<Failure> over = seenAt(path);
      if (over.isPresent()) {
        return over;
      }
    }
    return moved();
  }

  /**
   * Returns a failure if the path of the manager's directory now leads to another directory. In
   * that case no answer about mounts is valid. Call this method after reading the mounts, because
   * that read does not show mounts that moved with the directory.
   */
  Optional<Failure> moved() {
    // While a mount covers the directory, this is not checked, because the server of that mount may
    // not answer.
    wasMoved = over.isEmpty() && isMoved.getAsBoolean();
    return known();
  }

  private Optional<Failure> known() {
    return wasMoved
        ? Optional.of(
            Failure.of(
                OperatorCode.ROOT_MOVED,
                "'" + layout.root() + "' is not the directory that the manager was opened with"))
        : Optional.empty();
  }

  /**
   * Returns a failure if a mount covers the directories of a volume or a directory above them, or
   * if the manager's directory has moved.
   */
  Optional<Failure> seen(VolumeIdentity volume, Optional<VolumeUse> usage) {
    VolumeLayout.Home home = layout.home(volume);
    List<MountPath> nested = new ArrayList<>(List.of(layout.volumes(), home.path(), home.uses()));
    usage.map(home::use).ifPresent(nested::add);
    if (isUncovered(nested)) {
      return moved();
    }
    Optional<Failure> above = seenAtEach();
    if (above.isPresent()) {
      return above;
    }
    Optional<Failure> over = seenAt(home.path()).or(() -> seenAt(home.uses()));
    return over.isEmpty() && usage.isPresent() ? seenAt(home.use(usage.get())) : over;
  }

  private Optional<Failure> seenAt(MountPath path) {
    Stack then = before.getOrDefault(path, Stack.NONE);
    try {
      if (then.top().isPresent() && kernel.top(path).equals(then.top())) {
        // The mount that was on top at the start is still on top.
        return Optional.empty();
      }
      List<Sighting> now = kernel.at(path);
      return now.size() > then.count()
          ? Optional.of(
              Failure.of(
                  OperatorCode.ROOT_OVERMOUNTED,
                  "since the manager was opened, this was mounted at "
                      + path
                      + ": "
                      + now.get(now.size() - 1).evidence().words()))
          : Optional.empty();
    } catch (MountException e) {
      return Optional.of(
          Failure.of(OperatorCode.MOUNT_TABLE_UNREADABLE, String.valueOf(e.getMessage()), e));
    }
  }

  // ---- changes of the mount table

  /** Returns whether a mount at this path covers a directory of the manager. */
  boolean concerns(MountPath path) {
    return before.containsKey(path) || layout.isOwnDirectory(path);
  }

  /** Handles a new mount over a directory of the manager. Returns a message the first time. */
  Optional<OperatorMessage> came(MountPath path) {
    Optional<Failure> there =
        seenAt(path).filter(seen -> seen.code() == OperatorCode.ROOT_OVERMOUNTED);
    if (there.isEmpty() || over.putIfAbsent(path, there.get()) != null) {
      return Optional.empty();
    }
    // The mount may have been removed after the check above and before it was recorded, so check
    // again.
    went(path);
    return there.map(seen -> Messages.of(seen.code(), LOOKING.at(path), seen.seen()));
  }

  /** Handles the removal of a mount at this path. */
  void went(MountPath path) {
    Failure known = over.get(path);
    if (known != null && seenAt(path).isEmpty() && over.remove(path, known)) {
      // Another mount may have appeared after the check above, and may have been mistaken for the
      // mount that was just removed from the map.
      seenAt(path)
          .filter(seen -> seen.code() == OperatorCode.ROOT_OVERMOUNTED)
          .ifPresent(seen -> over.putIfAbsent(path, seen));
    }
  }

  /**
   * Handles changes of the mount table that the watch has missed, and returns messages about new
   * mounts.
   */
  List<OperatorMessage> missed() {
    List.copyOf(over.keySet()).forEach(this::went);
    List<MountPath> paths = new ArrayList<>(before.keySet());
    try {
      kernel.beneath(layout.root()).stream()
          .map(Sighting::path)
          .filter(this::concerns)
          .forEach(paths::add);
    } catch (MountException e) {
      // Each operation checks the mounts again, and reports the failure.
    }
    return paths.stream().distinct().flatMap(path -> came(path).stream()).toList();
  }

  /**
   * Returns a failure if a known mount covers the directories of a volume or a directory above
   * them, or if the last check found that the manager's directory had moved. Does not read the
   * mount table.
   */
  Optional<Failure> covering(VolumeIdentity volume) {
    if (over.isEmpty()) {
      return known();
    }
    MountPath own = layout.volume(volume);
    return over.entrySet().stream()
        .filter(
            entry ->
                entry.getKey().isWithin(own)
                    || own.isWithin(entry.getKey())
                    || entry.getKey().isWithin(layout.state()))
        .map(Map.Entry::getValue)
        .findFirst();
  }

  /**
   * Returns whether a known mount over a directory hides the mounts at a path. Does not read the
   * mount table.
   */
  boolean isHidden(MountPath path) {
    return over.keySet().stream().anyMatch(path::isWithin);
  }

  // ---- in its directory

  /** Records the unexpected mounts that were found and reported at the start. */
  void know(Collection<MountPath> found) {
    unexpected.addAll(found);
  }

  /** Searches for unexpected mounts, and returns messages about new ones. */
  List<OperatorMessage> lookForUnexpected() {
    try {
      return unexpected(kernel.beneath(layout.root()));
    } catch (MountException e) {
      // Each step reads the mounts again, and reports the failure.
      return List.of();
    }
  }

  /**
   * Filters these mounts, and returns messages about the unexpected mounts that were not reported
   * yet.
   */
  List<OperatorMessage> unexpected(Collection<Sighting> mounted) {
    List<OperatorMessage> news = new ArrayList<>();
    for (Sighting sighting : mounted) {
      MountPath path = sighting.path();
      if (!isOfAVolume(path) && unexpected.add(path)) {
        news.add(
            Messages.of(
                OperatorCode.UNEXPECTED_MOUNT,
                LOOKING.at(path),
                "it is neither a staging path nor a target: " + sighting.evidence().words()));
      }
    }
    return news;
  }

  /** Returns whether a path is a staging path or a target of any volume, or inside one. */
  private boolean isOfAVolume(MountPath path) {
    for (MountPath at = path; !at.isRoot() && !at.equals(layout.volumes()); at = at.parent()) {
      if (layout.isStagingOrTarget(at)) {
        return true;
      }
    }
    return path.equals(layout.volumes());
  }
}
