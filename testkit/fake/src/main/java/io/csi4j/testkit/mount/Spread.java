package io.csi4j.testkit.mount;

import io.csi4j.testkit.mount.Copies.As;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** How what is done on one mount is done on its peers and slaves too, as the kernel does it. */
final class Spread {

  private final Copies copies;

  Spread(Copies copies) {
    this.copies = copies;
  }

  /** Every mount that is told of mounts made on this one, itself left out. */
  static Set<Mount> receivers(Mount mount) {
    Set<Mount> found = new LinkedHashSet<>();
    PeerGroup peers = mount.peers;
    if (peers != null) {
      collect(peers, found, new LinkedHashSet<>());
    }
    found.remove(mount);
    return found;
  }

  private static void collect(PeerGroup group, Set<Mount> found, Set<PeerGroup> seen) {
    if (!seen.add(group)) {
      return;
    }
    found.addAll(group.members);
    for (Mount slave : group.slaves) {
      found.add(slave);
      PeerGroup own = slave.peers;
      if (own != null) {
        collect(own, found, seen);
      }
    }
  }

  /** Whether a mount made at this place of another mount can be seen through this one. */
  static boolean reaches(Mount receiver, Node at) {
    return receiver.table != null && at.isWithin(receiver.root);
  }

  /**
   * Copies a tree that was put on a mount to the same place of all that are told of it.
   *
   * @param source the tree, shared already
   */
  Map<Mount, Mount> copiesFor(Mount source, Mount onto, Node at) {
    Map<Mount, Mount> made = new LinkedHashMap<>();
    PeerGroup peers = onto.peers;
    if (peers != null) {
      spread(peers, onto, source, at, made, new LinkedHashSet<>());
    }
    return made;
  }

  private void spread(
      PeerGroup group,
      @Nullable Mount done,
      Mount template,
      Node at,
      Map<Mount, Mount> made,
      Set<PeerGroup> seen) {
    if (!seen.add(group)) {
      return;
    }
    for (Mount peer : List.copyOf(group.members)) {
      if (peer != done && reaches(peer, at)) {
        made.put(peer, copy(template, As.EQUAL));
      }
    }
    for (Mount slave : List.copyOf(group.slaves)) {
      PeerGroup own = slave.peers;
      if (own == null) {
        if (reaches(slave, at)) {
          made.put(slave, copy(template, As.SLAVE));
        }
      } else if (!seen.contains(own)) {
        Mount first = null;
        for (Mount peer : own.members) {
          if (first == null && reaches(peer, at)) {
            first = peer;
          }
        }
        Mount next = template;
        if (first != null) {
          next = copy(template, As.SHARED_SLAVE);
          made.put(first, next);
        }
        spread(own, first, next, at, made, seen);
      }
    }
  }

  private Mount copy(Mount template, As as) {
    return copies.copyTree(template, template.root, as, mount -> !mount.unbindable);
  }

  /**
   * The mounts elsewhere that go when these go: those at the same places of all that are told. One
   * with a mount on it that stays is kept, unless that mount covers it: then that takes its place.
   */
  static List<Mount> goneWith(List<Mount> gone) {
    Set<Mount> going = new LinkedHashSet<>(gone);
    Set<Mount> candidates = new LinkedHashSet<>();
    for (Mount mount : gone) {
      Mount parent = mount.parent;
      Node at = mount.mountpoint;
      if (parent == null || at == null) {
        continue;
      }
      for (Mount receiver : receivers(parent)) {
        Mount child = receiver.children.get(at);
        if (child != null && !going.contains(child)) {
          candidates.add(child);
        }
      }
    }
    boolean trimmed = true;
    while (trimmed) {
      trimmed =
          candidates.removeIf(
              candidate ->
                  candidate.children.values().stream()
                      .anyMatch(
                          child ->
                              child.mountpoint != candidate.root
                                  && !going.contains(child)
                                  && !candidates.contains(child)));
    }
    return new ArrayList<>(candidates);
  }

  /** Whether one elsewhere that would go with this one is in use. */
  static boolean isUsedElsewhere(Mount mount) {
    Mount parent = mount.parent;
    Node at = mount.mountpoint;
    if (parent == null || at == null) {
      return false;
    }
    for (Mount receiver : receivers(parent)) {
      Mount child = receiver.children.get(at);
      if (child != null
          && !child.held.isEmpty()
          && (child.children.isEmpty()
              || (child.children.size() == 1 && child.children.containsKey(child.root)))) {
        return true;
      }
    }
    return false;
  }
}
