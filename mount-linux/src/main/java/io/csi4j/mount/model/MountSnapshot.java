package io.csi4j.mount.model;

import io.csi4j.mount.internal.list.LazyList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The mount table at one moment, in the kernel's order. Immutable; {@link #refresh} returns the
 * next one.
 *
 * @since 1.0
 */
public final class MountSnapshot {

  private final List<MountRecord> records;
  private final int skippedRows;
  private final Function<MountSnapshot, Changes> refresher;

  /** The mounts by path, built on the second query; two threads may both build it. */
  private volatile @Nullable Map<MountPath, List<MountRecord>> byPath;

  private volatile boolean isAsked;

  private MountSnapshot(
      List<MountRecord> records, int skippedRows, Function<MountSnapshot, Changes> refresher) {
    this.records = records;
    this.skippedRows = skippedRows;
    this.refresher = refresher;
  }

  /**
   * Returns a snapshot of these mounts; for implementers of a {@link io.csi4j.mount.MountTable}.
   *
   * @param records the mounts, in the kernel's order
   * @param skippedRows the number of rows that could not be read
   * @param refresher returns the changes since a snapshot
   */
  public static MountSnapshot of(
      List<MountRecord> records, int skippedRows, Function<MountSnapshot, Changes> refresher) {
    return new MountSnapshot(
        records instanceof LazyList ? records : List.copyOf(records), skippedRows, refresher);
  }

  /**
   * Returns all mounts, in the kernel's order. The size of the list is known at once; its elements
   * may be created from the kernel's text when the first of them is accessed.
   */
  public List<MountRecord> records() {
    return records;
  }

  /** Returns the number of invalid rows of the kernel's table, which were left out. */
  public int skippedRows() {
    return skippedRows;
  }

  /**
   * Returns the mount on top at this path: the one on which none at the same path is mounted. A
   * mount that is hidden, because another mount covers a parent directory, is also found, unless
   * another mount is visible at that path.
   */
  public Optional<MountRecord> at(MountPath path) {
    List<MountRecord> tops = tops(stackAt(path));
    // Two mounts on top at one path are in two directories of that name, one of them hidden.
    Optional<MountRecord> seen = tops.size() > 1 ? reached(path) : Optional.empty();
    return seen.filter(tops::contains).or(() -> tops.stream().reduce((one, later) -> later));
  }

  /**
   * Returns the mount that contains a path, which need not exist: the one in which a walk along the
   * path ends, if there is no symbolic link on the way. Empty if no mount above it is in this
   * snapshot.
   */
  public Optional<MountRecord> holding(MountPath path) {
    return reached(path);
  }

  /** Returns the mounts that match, in the kernel's order. */
  public List<MountRecord> matching(Predicate<MountRecord> filter) {
    return records.stream().filter(filter).toList();
  }

  /** Returns the mounts of one directory or file of one filesystem, at any path. */
  public List<MountRecord> refs(DeviceId device, KernelText root) {
    return matching(record -> record.device().equals(device) && record.root().equals(root));
  }

  /**
   * Returns the mounts that were made after this one, in the order in which they were made; none if
   * it is not in this snapshot.
   */
  public List<MountRecord> newer(MountRef than) {
    // Compared without the path, which may differ in the reference.
    return records.stream()
        .dropWhile(record -> !record.ref().identity().equals(than.identity()))
        .skip(1)
        .toList();
  }

  /** Returns the mounts that are directly on this one. */
  public List<MountRecord> children(MountRecord parent) {
    return matching(record -> record.parentId() == parent.id() && record.id() != parent.id());
  }

  /**
   * Returns the new and removed mounts since, without reading the whole table again if the kernel
   * supports that. Existing mounts keep their record: {@link io.csi4j.mount.MountTable#list()}
   * shows changes of their flags, propagation or path.
   */
  public Changes refresh() {
    return refresher.apply(this);
  }

  /** Returns the mounts at a path; the first query searches all mounts, later ones use an index. */
  private List<MountRecord> stackAt(MountPath path) {
    Map<MountPath, List<MountRecord>> index = byPath;
    if (index == null && !isAsked) {
      isAsked = true;
      return matching(record -> record.path().equals(path));
    }
    if (index == null) {
      index = records.stream().collect(Collectors.groupingBy(MountRecord::path));
      byPath = index;
    }
    return index.getOrDefault(path, List.of());
  }

  /**
   * Returns those mounts of a path on which no other mount of it is mounted; their order has no
   * meaning.
   */
  private static List<MountRecord> tops(List<MountRecord> stack) {
    if (stack.size() < 2) {
      return stack;
    }
    Set<Integer> covered = new HashSet<>();
    for (MountRecord record : stack) {
      if (record.parentId() != record.id()) {
        covered.add(record.parentId());
      }
    }
    return stack.stream().filter(record -> !covered.contains(record.id())).toList();
  }

  /**
   * Returns the mount in which a walk along this path ends, as far as the mounts on the way are
   * known.
   */
  private Optional<MountRecord> reached(MountPath path) {
    List<MountRecord> onTheWay = matching(record -> path.isWithin(record.path()));
    Set<Integer> known = new HashSet<>();
    onTheWay.forEach(record -> known.add(record.id()));
    Optional<MountRecord> next =
        nearest(onTheWay, r -> r.parentId() == r.id() || !known.contains(r.parentId()));
    Optional<MountRecord> reached = Optional.empty();
    for (int steps = 0; next.isPresent() && steps < onTheWay.size(); steps++) {
      reached = next;
      int here = next.get().id();
      next = nearest(onTheWay, r -> r.parentId() == here && r.id() != here);
    }
    return reached;
  }

  /** Returns the first of these that a walk reaches: the one with the shortest path. */
  private static Optional<MountRecord> nearest(
      List<MountRecord> onTheWay, Predicate<MountRecord> filter) {
    return onTheWay.stream().filter(filter).min(Comparator.comparing(MountRecord::path));
  }

  @Override
  public String toString() {
    return records.size() + (records.size() == 1 ? " mount" : " mounts");
  }

  /**
   * The changes between two looks at the table.
   *
   * @param now the newer look
   * @param added the mounts that only the newer one has, in the kernel's order
   * @param removed the mounts that only the older one has
   * @since 1.0
   */
  public record Changes(MountSnapshot now, List<MountRecord> added, List<MountRecord> removed) {

    /** Copies the lists. */
    public Changes {
      added = List.copyOf(added);
      removed = List.copyOf(removed);
    }

    /** Returns whether there are no changes. */
    public boolean isEmpty() {
      return added.isEmpty() && removed.isEmpty();
    }
  }
}
