package io.csi4j.testkit.mount;

import io.csi4j.mount.model.KernelText;
import io.csi4j.mount.model.MountPath;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;

/** Resolves a path, part by part, through the mounts of one namespace. */
final class Walker {

  private static final int MOST_LINKS = 40;
  private static final int LONGEST_NAME = 255;

  private final Table table;
  private int links;

  Walker(Table table) {
    this.table = table;
  }

  /** Resolves a path and follows every symbolic link, including the last part. */
  MountedFile follow(MountPath path) {
    return walk(start(), parts(path.bytes()), true, true);
  }

  /** Resolves a path and follows symbolic links, except in the last part. */
  MountedFile followParents(MountPath path) {
    return walk(start(), parts(path.bytes()), true, false);
  }

  /**
   * Resolves a path and refuses symbolic links below a directory.
   *
   * @param base the directory; links in its own path are followed
   */
  MountedFile refuse(MountPath base, MountPath path) {
    byte[] below = path.bytes();
    int skip = base.isRoot() ? 0 : base.bytes().length;
    Deque<KernelText> rest = parts(Arrays.copyOfRange(below, skip, below.length));
    return walk(follow(base), rest, false, false);
  }

  private MountedFile start() {
    Mount root = table.root();
    return new MountedFile(root, root.root);
  }

  private MountedFile walk(
      MountedFile from, Deque<KernelText> rest, boolean follow, boolean followLast) {
    MountedFile at = from;
    while (!rest.isEmpty()) {
      KernelText part = rest.pop();
      boolean last = rest.isEmpty();
      if (part.is(".")) {
        continue;
      }
      if (part.is("..")) {
        at = above(at);
        continue;
      }
      MountedFile next = new MountedFile(at.mount(), child(at, part)).top();
      if (next.node().isSymlink() && !(last && !followLast)) {
        if (!follow || ++links > MOST_LINKS) {
          throw new KernelRefusal(KernelRefusal.ELOOP);
        }
        String target = next.node().content();
        Deque<KernelText> longer = parts(KernelText.of(target).bytes());
        longer.addAll(rest);
        rest = longer;
        at = target.startsWith("/") ? start() : at;
      } else {
        at = next;
      }
    }
    return at;
  }

  /** Returns the entry of a directory with this name. */
  static Node child(MountedFile directory, KernelText name) {
    Node node = directory.node();
    if (!node.isDirectory()) {
      throw new KernelRefusal(KernelRefusal.ENOTDIR);
    }
    switch (directory.mount().filesystem.server) {
      case DEAD -> throw new KernelRefusal(KernelRefusal.ENOTCONN);
      case DENYING -> throw new KernelRefusal(KernelRefusal.EACCES);
      case HUNG -> throw new KernelRefusal(KernelRefusal.ETIMEDOUT);
      default -> {}
    }
    if (name.bytes().length > LONGEST_NAME) {
      throw new KernelRefusal(KernelRefusal.ENAMETOOLONG);
    }
    Node child = node.child(name);
    if (child == null) {
      throw new KernelRefusal(KernelRefusal.ENOENT);
    }
    return child;
  }

  private static MountedFile above(MountedFile place) {
    Mount mount = place.mount();
    Node node = place.node();
    while (node == mount.root) {
      Mount parent = mount.parent;
      Node mountpoint = mount.mountpoint;
      if (parent == null || mountpoint == null) {
        return place;
      }
      mount = parent;
      node = mountpoint;
    }
    Node above = node.parent();
    return above == null ? place : new MountedFile(mount, above).top();
  }

  /** Returns the parts of a path, without slashes. */
  static Deque<KernelText> parts(byte[] path) {
    Deque<KernelText> parts = new ArrayDeque<>();
    int from = 0;
    for (int to = 0; to <= path.length; to++) {
      if (to == path.length || path[to] == '/') {
        if (to > from) {
          parts.add(KernelText.ofBytes(Arrays.copyOfRange(path, from, to)));
        }
        from = to + 1;
      }
    }
    return parts;
  }
}
