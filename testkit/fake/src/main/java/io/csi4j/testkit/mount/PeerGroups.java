package io.csi4j.testkit.mount;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Which mount belongs to which peer group, and which group is master of which mount. */
final class PeerGroups {

  private final LowestFree ids = new LowestFree(1);

  /** Makes the mount send and receive; a slave goes on receiving from its master too. */
  void share(Mount mount) {
    mount.unbindable = false;
    if (mount.peers == null) {
      join(mount, new PeerGroup(ids.take()));
    }
  }

  void join(Mount mount, PeerGroup group) {
    mount.peers = group;
    group.members.add(mount);
  }

  void enslave(Mount mount, @Nullable PeerGroup master) {
    PeerGroup before = mount.master;
    if (before != null) {
      before.slaves.remove(mount);
    }
    mount.master = master;
    if (master != null) {
      master.slaves.add(mount);
    }
  }

  /** Makes a peer receive only, from the peers it leaves; one without peers has none to ask. */
  void makeSlave(Mount mount) {
    PeerGroup left = leave(mount);
    if (left != null && !left.members.isEmpty()) {
      enslave(mount, left);
    }
  }

  void makePrivate(Mount mount) {
    leave(mount);
    enslave(mount, null);
    mount.unbindable = false;
  }

  private @Nullable PeerGroup leave(Mount mount) {
    PeerGroup group = mount.peers;
    if (group == null) {
      return null;
    }
    mount.peers = null;
    group.members.remove(mount);
    if (group.members.isEmpty()) {
      // Who received from the group goes on with the group that this one received from.
      for (Mount slave : List.copyOf(group.slaves)) {
        enslave(slave, mount.master);
      }
      ids.free(group.id);
    }
    return group;
  }
}
