package io.csi4j.testkit.mount;

import io.csi4j.mount.model.KernelText;
import io.csi4j.mount.model.MountFlag;
import io.csi4j.mount.model.MountPath;
import java.io.ByteArrayOutputStream;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A mount in one namespace, or in none after it was detached. */
final class Mount {

  final long uniqueId;
  final int id;
  final Filesystem filesystem;
  final Node root;
  final KernelText source;
  final Set<MountFlag> flags = EnumSet.noneOf(MountFlag.class);

  @Nullable Table table;
  @Nullable Mount parent;
  @Nullable Node mountpoint;
  @Nullable PeerGroup peers;
  @Nullable PeerGroup master;
  boolean unbindable;
  boolean isReleased;

  /** Mounts directly on this mount; one for each place. */
  final Map<Node, Mount> children = new LinkedHashMap<>();

  /** Handles of open files in this mount. */
  final List<OpenHandle> held = new ArrayList<>();

  Mount(long uniqueId, int id, Filesystem filesystem, Node root, KernelText source) {
    this.uniqueId = uniqueId;
    this.id = id;
    this.filesystem = filesystem;
    this.root = root;
    this.source = source;
  }

  Table table() {
    Table mine = table;
    if (mine == null) {
      throw new IllegalStateException("The mount is no longer in any namespace.");
    }
    return mine;
  }

  /** Returns this mount and all mounts below it, parents first. */
  List<Mount> tree() {
    List<Mount> all = new ArrayList<>();
    Deque<Mount> open = new ArrayDeque<>();
    open.push(this);
    while (!open.isEmpty()) {
      Mount mount = open.pop();
      all.add(mount);
      List<Mount> below = new ArrayList<>(mount.children.values());
      for (int i = below.size() - 1; i >= 0; i--) {
        open.push(below.get(i));
      }
    }
    return all;
  }

  /** Returns the topmost mount of the stack that begins with this one. */
  Mount top() {
    Mount top = this;
    for (Mount next = this; next != null; next = next.children.get(next.root)) {
      top = next;
    }
    return top;
  }

  boolean isBelow(Mount other) {
    for (Mount at = this; at != null; at = at.parent) {
      if (at == other) {
        return true;
      }
    }
    return false;
  }

  void attach(Mount onto, Node at) {
    parent = onto;
    mountpoint = at;
    onto.children.put(at, this);
    at.mounts.add(this);
  }

  void detach() {
    Mount above = parent;
    Node at = mountpoint;
    if (above != null && at != null) {
      above.children.remove(at, this);
      at.mounts.remove(this);
    }
    parent = null;
    mountpoint = null;
  }

  boolean isReadOnly() {
    return flags.contains(MountFlag.READ_ONLY) || filesystem.readOnly;
  }

  /** Returns the mount point, relative to the root of the namespace. */
  MountPath path() {
    Deque<Mount> chain = new ArrayDeque<>();
    for (Mount at = this; at.parent != null; at = at.parent) {
      chain.push(at);
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (Mount mount : chain) {
      Mount above = mount.parent;
      Node at = mount.mountpoint;
      if (above != null && at != null) {
        at.writePath(above.root, out);
      }
    }
    return out.size() == 0 ? MountPath.ROOT : MountPath.ofBytes(out.toByteArray());
  }

  /**
   * Returns the flags of a new mount: {@code relatime}, unless the request disables access times.
   */
  static Set<MountFlag> flagsOfNew(Set<MountFlag> asked) {
    Set<MountFlag> flags = EnumSet.of(MountFlag.RELATIME);
    addFlags(flags, asked);
    return flags;
  }

  static void addFlags(Set<MountFlag> flags, Set<MountFlag> more) {
    flags.addAll(more);
    if (more.contains(MountFlag.NOATIME)) {
      flags.remove(MountFlag.RELATIME);
    } else if (more.contains(MountFlag.RELATIME)) {
      flags.remove(MountFlag.NOATIME);
    }
  }
}
