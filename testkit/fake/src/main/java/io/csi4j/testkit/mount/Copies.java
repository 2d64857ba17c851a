package io.csi4j.testkit.mount;

import io.csi4j.mount.model.DeviceId;
import io.csi4j.mount.model.KernelText;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** Makes mounts, gives them their numbers, and copies them with what they share. */
final class Copies {

  /** In what relation a copy is to the mount that it is a copy of. */
  enum As {
    /** Its peer, if it has any; else as alone as it is. */
    EQUAL,
    /** A slave of its peers. */
    SLAVE,
    /** A slave of its peers that has peers of its own. */
    SHARED_SLAVE
  }

  private static final long FIRST_UNIQUE_ID = (1L << 32) + 1;

  final PeerGroups groups = new PeerGroups();
  private final LowestFree ids = new LowestFree(1);
  private final LowestFree minors = new LowestFree(20);
  private long nextUniqueId = FIRST_UNIQUE_ID;

  DeviceId anonymousDevice() {
    return new DeviceId(0, minors.take());
  }

  Mount mount(Filesystem filesystem, Node root, KernelText source) {
    filesystem.uses++;
    return new Mount(nextUniqueId++, ids.take(), filesystem, root, source);
  }

  /** One mount, of itself or of something below its root. */
  Mount copy(Mount mount, Node root, As as) {
    Mount copy = mount(mount.filesystem, root, mount.source);
    copy.flags.addAll(mount.flags);
    PeerGroup peers = mount.peers;
    if (as == As.EQUAL) {
      if (peers != null) {
        groups.join(copy, peers);
      }
      groups.enslave(copy, mount.master);
      copy.unbindable = mount.unbindable;
    } else {
      groups.enslave(copy, peers);
      if (as == As.SHARED_SLAVE) {
        groups.share(copy);
      }
    }
    return copy;
  }

  /**
   * A mount and those below it that this accepts, seen from a directory or file of the first.
   *
   * @param wanted what is copied; what is below the others is left out with them
   */
  Mount copyTree(Mount top, Node root, As as, Predicate<Mount> wanted) {
    Map<Mount, Mount> copies = new LinkedHashMap<>();
    for (Mount mount : top.tree()) {
      if (mount == top) {
        copies.put(top, copy(top, root, as));
        continue;
      }
      Mount parent = mount.parent;
      Node at = mount.mountpoint;
      Mount copiedParent = parent == null ? null : copies.get(parent);
      if (copiedParent != null
          && at != null
          && wanted.test(mount)
          && (parent != top || at.isWithin(root))) {
        Mount copy = copy(mount, mount.root, as);
        copy.attach(copiedParent, at);
        copies.put(mount, copy);
      }
    }
    return copies.values().iterator().next();
  }

  /** Forgets a mount that is not there and not used any more. */
  void release(Mount mount) {
    if (mount.isReleased || mount.table != null || !mount.held.isEmpty()) {
      return;
    }
    mount.isReleased = true;
    ids.free(mount.id);
    Filesystem filesystem = mount.filesystem;
    filesystem.uses--;
    if (filesystem.uses == 0 && filesystem.device.major() == 0) {
      minors.free(filesystem.device.minor());
    }
  }

  /** Forgets copies that were never attached. */
  void discard(Mount top) {
    List<Mount> tree = new ArrayList<>(top.tree());
    for (int i = tree.size() - 1; i >= 0; i--) {
      Mount mount = tree.get(i);
      mount.detach();
      groups.makePrivate(mount);
      release(mount);
    }
  }
}
