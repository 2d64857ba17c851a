package io.csi4j.mount.internal.table;

import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountRecord;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The mounts that a path leads to, found in the table alone, without a look at the path. */
final class VisibleMounts {

  private final TableReader reader;

  VisibleMounts(TableReader reader) {
    this.reader = reader;
  }

  /** The mount on top at a path that has no symbolic links; none that is hidden. */
  Optional<MountRecord> at(MountPath path) {
    return top(matching(record -> path.isWithin(record.path())), path);
  }

  /** The mounts that this accepts, hidden ones too. */
  List<MountRecord> matching(Predicate<MountRecord> filter) {
    return reader.read(filter).records();
  }

  /**
   * The mount that a walk along the path ends in, if the path is its root: at each part, a mount
   * there on the mount that the walk is in takes it over.
   *
   * @param way the mounts at the path and at the directories above it
   */
  static Optional<MountRecord> top(List<MountRecord> way, MountPath path) {
    MountRecord in = null;
    for (MountPath place : way.stream().map(MountRecord::path).distinct().sorted().toList()) {
      MountRecord next = next(way, in, place);
      while (next != null) {
        in = next;
        next = next(way, in, place);
      }
    }
    return Optional.ofNullable(in).filter(last -> last.path().equals(path));
  }

  /** Returns the mount at a place on the mount that the walk is in; at the first place, any. */
  private static @Nullable MountRecord next(
      List<MountRecord> way, @Nullable MountRecord in, MountPath place) {
    for (MountRecord each : way) {
      if (each.path().equals(place) && (in == null || isOn(in, each))) {
        return each;
      }
    }
    return null;
  }

  /** Whether a mount is directly on another. */
  static boolean isOn(MountRecord parent, MountRecord each) {
    return each.parentId() == parent.id() && each.id() != parent.id();
  }
}
