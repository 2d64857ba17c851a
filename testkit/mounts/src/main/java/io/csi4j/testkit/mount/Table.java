package io.csi4j.testkit.mount;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The mounts of one namespace, in ascending order of their unique ids. */
final class Table {

  final long number;
  final long pid;
  private final TreeMap<Long, Mount> mounts = new TreeMap<>();
  private @Nullable Mount root;

  /** Mounts that were added, removed or changed since the last notification. */
  private final Set<Long> touched = new LinkedHashSet<>();

  final List<MemoryWatching> watchings = new ArrayList<>();

  Table(long number, long pid) {
    this.number = number;
    this.pid = pid;
  }

  Mount root() {
    Mount mount = root;
    if (mount == null) {
      throw new IllegalStateException(
          "The mount namespace has ended: its last process is gone. Use another one.");
    }
    return mount;
  }

  void setRoot(@Nullable Mount mount) {
    root = mount;
  }

  int size() {
    return mounts.size();
  }

  List<Mount> all() {
    return new ArrayList<>(mounts.values());
  }

  @Nullable Mount get(long uniqueId) {
    return mounts.get(uniqueId);
  }

  void add(Mount mount) {
    mount.table = this;
    mounts.put(mount.uniqueId, mount);
    touch(mount);
  }

  void remove(Mount mount) {
    mount.table = null;
    mounts.remove(mount.uniqueId);
    touch(mount);
  }

  void touch(Mount mount) {
    if (!watchings.isEmpty()) {
      touched.add(mount.uniqueId);
    }
  }

  List<Long> takeTouched() {
    List<Long> taken = List.copyOf(touched);
    touched.clear();
    return taken;
  }
}
