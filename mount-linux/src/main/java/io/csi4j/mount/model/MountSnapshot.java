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
 * The table of mounts at one moment, in the kernel's order. It does not change; {@link #refresh}
 * gives the next one.
 *
 * @since 1.0
 */
public final class MountSnapshot {

  private final List<MountRecord> records;
  private final int skippedRows;
  private final Function<MountSnapshot, Changes> refresher;

  /** The mounts by path, once there was more than one question; made twice at worst. */
  private volatile @Nullable Map<MountPath, List<MountRecord>> byPath;

  private volatile boolean isAsked;

  private MountSnapshot(
      List<MountRecord> records, int skippedRows, Function<MountSnapshot, Changes> refresher) {
    this.records = records;
    this.skippedRows = skippedRows;
    this.refresher = refresher;
  }

  /**
   * A snapshot of these mounts; for authors of a {@link io.csi4j.mount.MountTable}.
   *
   * @param records the mounts, in the kernel's order
   * @param skippedRows how many rows could not be read
   * @param refresher gives the changes since a snapshot
   */
  public static MountSnapshot of(
      List<MountRecord> records, int skippedRows, Function<MountSnapshot, Changes> refresher) {
    return new MountSnapshot(
        records instanceof LazyList ? records : List.copyOf(records), skippedRows, refresher);
  }

  /**
   * All mounts, in the kernel's order. Their number is known from the beginning; what else is to be
   * told of them may be made of the kernel's text when one of them is first looked at.
   */
  public List<MountRecord> records() {
    return records;
  }

  /** How many rows of the kernel's table made no sense and were left out. */
  public int skippedRows() {
    return skippedRows;
  }

  /**
   * The mount on top at this path: the one on which none at the same path is mounted. A mount that
   * is hidden, because something was mounted over a directory above it, is found all the same,
   * unless another one can be seen at that path.
   */
  public Optional<MountRecord> at(MountPath path) {
    List<MountRecord> tops = tops(stackAt(path));
    // Two mounts on top at one path are at two places of that name, one of them hidden.
    Optional<MountRecord> seen = tops.size() > 1 ? reached(path) : Optional.empty();
    return seen.filter(tops::contains).or(() -> tops.stream().reduce((one, later) -> later));
  }

  /**
   * The mount that a path is in, which needs not be there: the one that a walk along the path ends
   * in, if no symbolic link is on the way. Nothing if no mount above it is in this snapshot.
   */
  public Optional<MountRecord> holding(MountPath path) {
    return reached(path);
  }

  /** The mounts that this accepts, in the kernel's order. */
  public List<MountRecord> matching(Predicate<MountRecord> filter) {
    return records.stream().filter(filter).toList();
  }

  /** The mounts of one directory or file of one filesystem, wherever they are. */
  public List<MountRecord> refs(DeviceId device, KernelText root) {
    return matching(record -> record.device().equals(device) && record.root().equals(root));
  }

  /**
   * The mounts that were made after this one, in the order in which they were made; none if it is
   * not in this snapshot.
   */
  public List<MountRecord> newer(MountRef than) {
    // Not by the whole reference, which may have another path.
    return records.stream()
        .dropWhile(record -> !record.ref().identity().equals(than.identity()))
        .skip(1)
        .toList();
  }

  /** The mounts that are directly on this one. */
  public List<MountRecord> children(MountRecord parent) {
    return matching(record -> record.parentId() == parent.id() && record.id() != parent.id());
  }

  /**
   * What came and went since, found without reading the whole table again where the kernel allows.
   * Mounts that stayed keep the record they had: a change of their flags, propagation or path is
   * seen by {@link io.csi4j.mount.MountTable#list()}.
   */
  public Changes refresh() {
    return refresher.apply(this);
  }

  /** The mounts at a path; the first question looks through all, further ones at an index. */
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

  /** Those of a path that no other one of it is mounted on; their order says nothing. */
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

  /** The mount that a walk along this path ends in, as far as the mounts on the way are known. */
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

  /** The first of these that a walk comes to: the one with the shortest path. */
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

    /** Whether nothing came or went. */
    public boolean isEmpty() {
      return added.isEmpty() && removed.isEmpty();
    }
  }
}
