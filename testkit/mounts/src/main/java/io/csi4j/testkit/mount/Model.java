package io.csi4j.testkit.mount;

import static io.csi4j.testkit.mount.KernelRefusal.EBUSY;
import static io.csi4j.testkit.mount.KernelRefusal.EEXIST;
import static io.csi4j.testkit.mount.KernelRefusal.EINVAL;
import static io.csi4j.testkit.mount.KernelRefusal.ELOOP;
import static io.csi4j.testkit.mount.KernelRefusal.ENOENT;
import static io.csi4j.testkit.mount.KernelRefusal.ENOSPC;
import static io.csi4j.testkit.mount.KernelRefusal.ENOTDIR;
import static io.csi4j.testkit.mount.KernelRefusal.ENOTEMPTY;
import static io.csi4j.testkit.mount.KernelRefusal.EROFS;
import static io.csi4j.testkit.mount.KernelRefusal.EXDEV;

import io.csi4j.mount.model.DeviceId;
import io.csi4j.mount.model.KernelText;
import io.csi4j.mount.model.MountFlag;
import io.csi4j.mount.model.MountPath;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Models the kernel's work on mounts: its calls, each performed completely or refused; the copies
 * that binding and unsharing create; the peer groups; and the propagation of changes to peers and
 * slaves.
 *
 * <p>Shares no code with mount-linux, as a model that shares code shares its mistakes. One contract
 * test runs against both.
 */
final class Model {

  private static final long FIRST_NAMESPACE = 4_026_531_841L;
  private static final long FIRST_PID = 1000;
  private static final long FIRST_UNIQUE_ID = (1L << 32) + 1;

  /** The relation of a copy to the copied mount. */
  enum As {
    /** A peer, if the mount has peers; else private, like the mount. */
    EQUAL,
    /** A slave of the mount's peers. */
    SLAVE,
    /** A slave of the mount's peers, with its own peer group. */
    SHARED_SLAVE
  }

  private final Set<Table> tables = new LinkedHashSet<>();
  private final LowestFree mountIds = new LowestFree(1);
  private final LowestFree groupIds = new LowestFree(1);
  private final LowestFree minors = new LowestFree(20);
  private long nextUniqueId = FIRST_UNIQUE_ID;
  private long nextNamespace = FIRST_NAMESPACE;
  private long nextPid = FIRST_PID;
  private int mountMax = 100_000;

  Collection<Table> tables() {
    return tables;
  }

  void setMountMax(int most) {
    mountMax = most;
  }

  long newPid() {
    return nextPid++;
  }

  /** Returns a namespace with one mount. */
  Table boot(Mount root) {
    Table table = newTable();
    table.setRoot(root);
    table.add(root);
    return table;
  }

  /** Returns a namespace with copies of all mounts of another one, including hidden mounts. */
  Table unshare(Table from) {
    Mount root = from.root();
    Mount copy = copyTree(root, root.root, As.EQUAL, mount -> true);
    Table table = newTable();
    table.setRoot(copy);
    copy.tree().forEach(table::add);
    return table;
  }

  /** Ends a namespace whose last process has exited. */
  void end(Table table) {
    takeAway(table.root().tree());
    table.setRoot(null);
    tables.remove(table);
  }

  private Table newTable() {
    Table table = new Table(nextNamespace++, newPid());
    tables.add(table);
    return table;
  }

  /**
   * Binds a directory or file to a second path.
   *
   * @param prepare runs on the new tree before it becomes visible
   */
  Mount bind(MountedFile source, MountedFile target, boolean recursive, Consumer<Mount> prepare) {
    Mount from = source.mount();
    if (from.unbindable) {
      throw new KernelRefusal(EINVAL);
    }
    if (source.node().isDeleted()) {
      throw new KernelRefusal(KernelRefusal.ENOENT);
    }
    Mount tree =
        recursive
            ? copyTree(from, source.node(), As.EQUAL, mount -> !mount.unbindable)
            : copy(from, source.node(), As.EQUAL);
    prepare.accept(tree);
    attachOrDiscard(tree, target);
    return tree;
  }

  /** Mounts a filesystem at its root. */
  Mount mount(Mount made, MountedFile target) {
    attachOrDiscard(made, target);
    return made;
  }

  private void attachOrDiscard(Mount tree, MountedFile target) {
    try {
      attach(tree, target);
    } catch (KernelRefusal e) {
      discard(tree);
      throw e;
    }
  }

  /** Moves a mount with all mounts on it. */
  void move(MountedFile from, MountedFile target) {
    checkIsThere(target);
    Mount mount = from.mount();
    Mount parent = mount.parent;
    if (!from.isMountRoot() || parent == null || parent.peers != null) {
      throw new KernelRefusal(EINVAL);
    }
    if (target.mount().peers != null && mount.tree().stream().anyMatch(each -> each.unbindable)) {
      throw new KernelRefusal(EINVAL);
    }
    if (target.mount().isBelow(mount)) {
      throw new KernelRefusal(ELOOP);
    }
    checkKind(mount, target);
    checkRoom(mount, target);
    mount.detach();
    attach(mount, target);
    mount.tree().forEach(target.mount().table()::touch);
  }

  private void attach(Mount tree, MountedFile target) {
    Mount onto = target.mount();
    Node at = target.node();
    checkIsThere(target);
    checkKind(tree, target);
    checkRoom(tree, target);
    if (onto.peers != null) {
      tree.tree().forEach(this::share);
    }
    Map<Mount, Mount> elsewhere = copiesFor(tree, onto, at);
    elsewhere.forEach((receiver, copy) -> slipIn(copy, receiver, at));
    tree.attach(onto, at);
    enter(tree, onto.table());
  }

  /**
   * Attaches a copy at a place where something may be mounted already, which then covers the copy.
   */
  private void slipIn(Mount copy, Mount receiver, Node at) {
    Mount covered = receiver.children.get(at);
    if (covered != null) {
      covered.detach();
    }
    copy.attach(receiver, at);
    if (covered != null) {
      Mount top = copy.top();
      covered.attach(top, top.root);
      receiver.table().touch(covered);
    }
    enter(copy, receiver.table());
  }

  private static void enter(Mount tree, Table table) {
    for (Mount mount : tree.tree()) {
      if (mount.table == null) {
        table.add(mount);
      }
    }
  }

  private static void checkIsThere(MountedFile target) {
    if (target.node().isDeleted()) {
      throw new KernelRefusal(ENOENT);
    }
  }

  private static void checkKind(Mount mount, MountedFile target) {
    if (mount.root.isDirectory() != target.node().isDirectory()) {
      throw new KernelRefusal(ENOTDIR);
    }
  }

  private void checkRoom(Mount tree, MountedFile target) {
    int size = tree.tree().size();
    Map<Table, Integer> more = new LinkedHashMap<>();
    if (tree.table == null) {
      more.merge(target.mount().table(), size, Integer::sum);
    }
    for (Mount receiver : receivers(target.mount())) {
      if (reaches(receiver, target.node())) {
        more.merge(receiver.table(), size, Integer::sum);
      }
    }
    more.forEach(
        (table, count) -> {
          if (table.size() + count > mountMax) {
            throw new KernelRefusal(ENOSPC);
          }
        });
  }

  /** Unmounts a mount that is not in use, with its propagated copies. */
  void unmount(Mount mount) {
    checkIsNotRoot(mount);
    if (!mount.children.isEmpty() || !mount.held.isEmpty() || isUsedElsewhere(mount)) {
      throw new KernelRefusal(EBUSY);
    }
    takeAwayEverywhere(List.of(mount));
  }

  /** Detaches a mount and all mounts below it, even if they are in use. */
  void detach(Mount mount) {
    checkIsNotRoot(mount);
    takeAwayEverywhere(mount.tree());
  }

  private static void checkIsNotRoot(Mount mount) {
    if (mount.parent == null) {
      throw new KernelRefusal(EINVAL);
    }
  }

  private void takeAwayEverywhere(List<Mount> mounts) {
    List<Mount> all = new ArrayList<>(mounts);
    all.addAll(goneWith(mounts));
    takeAway(all);
  }

  private void takeAway(List<Mount> gone) {
    Set<Mount> going = new LinkedHashSet<>(gone);
    // The mount that covers a stack of removed mounts must move below all of them.
    List<Mount> highestFirst = new ArrayList<>(going);
    Collections.reverse(highestFirst);
    highestFirst.sort(Comparator.comparingInt(Model::mountsBelow).reversed());
    for (Mount mount : highestFirst) {
      Mount parent = mount.parent;
      Node at = mount.mountpoint;
      mount.detach();
      Mount cover = mount.children.get(mount.root);
      if (cover != null && !going.contains(cover) && parent != null && at != null) {
        cover.detach();
        cover.attach(parent, at);
      }
      mount.table().remove(mount);
      makePrivate(mount);
      release(mount);
    }
  }

  private static int mountsBelow(Mount mount) {
    int count = 0;
    for (Mount parent = mount.parent; parent != null; parent = parent.parent) {
      count++;
    }
    return count;
  }

  /** Aborts the connection to an unresponsive server of a mount: waiting callers get an error. */
  void giveUp(Mount mount) {
    Filesystem filesystem = mount.filesystem;
    if (filesystem.backing != Backing.SERVER) {
      return;
    }
    filesystem.server = ServerState.DEAD;
    for (Table table : tables) {
      for (Mount each : table.all()) {
        if (each.filesystem == filesystem) {
          each.held.removeIf(OpenHandle::isBlocked);
        }
      }
    }
  }

  /** Adds flags to all of the mounts, or to none. */
  void addFlags(List<Mount> mounts, Set<MountFlag> flags) {
    if (flags.contains(MountFlag.READ_ONLY)
        && mounts.stream().anyMatch(each -> each.held.stream().anyMatch(OpenHandle::isWriting))) {
      throw new KernelRefusal(EBUSY);
    }
    for (Mount mount : mounts) {
      Mount.addFlags(mount.flags, flags);
      Table table = mount.table;
      if (table != null) {
        table.touch(mount);
      }
    }
  }

  void hold(Mount mount, OpenHandle held) {
    mount.held.add(held);
  }

  void letGo(Mount mount, OpenHandle held) {
    if (mount.held.remove(held)) {
      release(mount);
    }
  }

  DeviceId anonymousDevice() {
    return new DeviceId(0, minors.take());
  }

  /** Returns a mount that is not attached yet. */
  Mount newMount(Filesystem filesystem, Node root, KernelText source) {
    filesystem.uses++;
    return new Mount(nextUniqueId++, mountIds.take(), filesystem, root, source);
  }

  /** Returns a copy of one mount, with the mount's root or a file below it as root. */
  Mount copy(Mount mount, Node root, As as) {
    Mount copy = newMount(mount.filesystem, root, mount.source);
    copy.flags.addAll(mount.flags);
    PeerGroup peers = mount.peers;
    if (as == As.EQUAL) {
      if (peers != null) {
        join(copy, peers);
      }
      enslave(copy, mount.master);
      copy.unbindable = mount.unbindable;
    } else {
      enslave(copy, peers);
      if (as == As.SHARED_SLAVE) {
        share(copy);
      }
    }
    return copy;
  }

  /**
   * Returns a copy of a mount and of those below it that the predicate accepts, with a file of the
   * first mount as root.
   *
   * @param wanted the mounts to copy; mounts below a rejected one are left out as well
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

  /** Discards a mount that is neither attached nor in use. */
  void release(Mount mount) {
    if (mount.isReleased || mount.table != null || !mount.held.isEmpty()) {
      return;
    }
    mount.isReleased = true;
    mountIds.free(mount.id);
    Filesystem filesystem = mount.filesystem;
    filesystem.uses--;
    if (filesystem.uses == 0 && filesystem.device.major() == 0) {
      minors.free(filesystem.device.minor());
    }
  }

  /** Discards copies that were never attached. */
  void discard(Mount top) {
    List<Mount> tree = new ArrayList<>(top.tree());
    for (int i = tree.size() - 1; i >= 0; i--) {
      Mount mount = tree.get(i);
      mount.detach();
      makePrivate(mount);
      release(mount);
    }
  }

  /** Makes the mount shared; a slave continues to receive from its master. */
  void share(Mount mount) {
    mount.unbindable = false;
    if (mount.peers == null) {
      join(mount, new PeerGroup(groupIds.take()));
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

  /** Makes a shared mount a slave of its former peers; a mount without peers gets no new master. */
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
      // The slaves of the group become slaves of the group's master.
      for (Mount slave : List.copyOf(group.slaves)) {
        enslave(slave, mount.master);
      }
      groupIds.free(group.id);
    }
    return group;
  }

  /** Returns every mount to which mounts made on this one propagate, except this mount. */
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

  /** Returns whether a mount made at this place of another mount is visible through this one. */
  static boolean reaches(Mount receiver, Node at) {
    return receiver.table != null && at.isWithin(receiver.root);
  }

  /**
   * Copies a new tree to the same place of every receiver of its mount.
   *
   * @param source the tree, which is shared already
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
    return copyTree(template, template.root, as, mount -> !mount.unbindable);
  }

  /**
   * Returns the mounts elsewhere that are removed along with these: those at the same places of all
   * receivers. A mount is kept if a mount on it stays, unless that one covers it: then the covering
   * mount takes its place.
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
                      .filter(child -> child.mountpoint != candidate.root)
                      .anyMatch(
                          child ->
                              isLeft(
                                  child,
                                  each -> going.contains(each) || candidates.contains(each))));
    }
    return new ArrayList<>(candidates);
  }

  /** Returns whether a mount stays when others are removed, or a covering mount takes its place. */
  private static boolean isLeft(Mount mount, Predicate<Mount> isGoing) {
    for (Mount at = mount; at != null; at = at.children.get(at.root)) {
      if (!isGoing.test(at)) {
        return true;
      }
    }
    return false;
  }

  /** Returns whether a mount that would be removed along with this one is in use. */
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

  /** Hands out numbers as the kernel does: always the lowest free one. */
  private static final class LowestFree {

    private final int first;
    private final BitSet taken = new BitSet();

    LowestFree(int first) {
      this.first = first;
    }

    int take() {
      int number = taken.nextClearBit(first);
      taken.set(number);
      return number;
    }

    void free(int number) {
      taken.clear(number);
    }
  }

  static void checkWritable(Mount mount) {
    if (mount.isReadOnly()) {
      throw new KernelRefusal(EROFS);
    }
  }

  /** Creates a file of any kind in a directory. */
  static MountedFile add(MountedFile directory, KernelText name, Node node) {
    try {
      Walker.child(directory, name);
    } catch (KernelRefusal e) {
      if (e.number() != ENOENT || directory.node().isDeleted()) {
        throw e;
      }
      checkWritable(directory.mount());
      return new MountedFile(directory.mount(), directory.node().add(name, node));
    }
    throw new KernelRefusal(EEXIST);
  }

  /**
   * Removes one node from a directory: a directory must be empty. Mounts on it in other namespaces
   * are removed as well.
   */
  void remove(Table table, MountedFile directory, MountPath path) {
    Node node = Walker.child(directory, KernelText.ofBytes(path.name()));
    checkWritable(directory.mount());
    if (node.mounts.stream().anyMatch(mount -> mount.table == table)) {
      throw new KernelRefusal(EBUSY);
    }
    if (node.isDirectory() && !node.isEmpty()) {
      throw new KernelRefusal(ENOTEMPTY);
    }
    for (Mount mount : List.copyOf(node.mounts)) {
      // One of them may have been removed along with another.
      if (mount.table != null) {
        takeAwayEverywhere(mount.tree());
      }
    }
    node.delete();
  }

  static void rename(Table table, MountPath from, MountPath to) {
    MountedFile source = new Walker(table).follow(from.parent());
    MountedFile target = new Walker(table).follow(to.parent());
    Node node = Walker.child(source, KernelText.ofBytes(from.name()));
    KernelText name = KernelText.ofBytes(to.name());
    if (source.mount() != target.mount()) {
      throw new KernelRefusal(EXDEV);
    }
    checkWritable(source.mount());
    if (target.node().isWithin(node)) {
      throw new KernelRefusal(EINVAL);
    }
    if (target.node().child(name) != null) {
      throw new KernelRefusal(EEXIST);
    }
    if (node.mounts.stream().anyMatch(mount -> mount.table == table)) {
      throw new KernelRefusal(EBUSY);
    }
    node.moveTo(target.node(), name);
  }
}
