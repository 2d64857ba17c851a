package io.csi4j.testkit.mount;

import static io.csi4j.testkit.mount.KernelRefusal.EBUSY;
import static io.csi4j.testkit.mount.KernelRefusal.EINVAL;
import static io.csi4j.testkit.mount.KernelRefusal.ELOOP;
import static io.csi4j.testkit.mount.KernelRefusal.ENOSPC;
import static io.csi4j.testkit.mount.KernelRefusal.ENOTDIR;

import io.csi4j.mount.model.MountFlag;
import io.csi4j.testkit.mount.Copies.As;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/** The work of the kernel with mounts: each method is one call of it, done wholly or refused. */
final class Model {

  private static final long FIRST_NAMESPACE = 4_026_531_841L;
  private static final long FIRST_PID = 1000;

  final Copies copies = new Copies();
  private final Spread spread = new Spread(copies);
  private final Set<Table> tables = new LinkedHashSet<>();
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

  /** A namespace with one mount. */
  Table boot(Mount root) {
    Table table = newTable();
    table.setRoot(root);
    table.add(root);
    return table;
  }

  /** A namespace with copies of all mounts of another, hidden ones too. */
  Table unshare(Table from) {
    Mount root = from.root();
    Mount copy = copies.copyTree(root, root.root, As.EQUAL, mount -> true);
    Table table = newTable();
    table.setRoot(copy);
    copy.tree().forEach(table::add);
    return table;
  }

  /** Ends a namespace, whose last process is gone. */
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
   * Shows a directory or file at a second place.
   *
   * @param prepare what is done with the new tree before it can be seen
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
            ? copies.copyTree(from, source.node(), As.EQUAL, mount -> !mount.unbindable)
            : copies.copy(from, source.node(), As.EQUAL);
    prepare.accept(tree);
    attachOrDiscard(tree, target);
    return tree;
  }

  /** Mounts a filesystem by its root. */
  Mount mount(Mount made, MountedFile target) {
    attachOrDiscard(made, target);
    return made;
  }

  private void attachOrDiscard(Mount tree, MountedFile target) {
    try {
      attach(tree, target);
    } catch (KernelRefusal e) {
      copies.discard(tree);
      throw e;
    }
  }

  /** Moves a mount, with all that is on it. */
  void move(MountedFile from, MountedFile target) {
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
    if (at.isDeleted()) {
      throw new KernelRefusal(KernelRefusal.ENOENT);
    }
    checkKind(tree, target);
    checkRoom(tree, target);
    if (onto.peers != null) {
      tree.tree().forEach(copies.groups::share);
    }
    Map<Mount, Mount> elsewhere = spread.copiesFor(tree, onto, at);
    elsewhere.forEach((receiver, copy) -> slipIn(copy, receiver, at));
    tree.attach(onto, at);
    enter(tree, onto.table());
  }

  /** Puts a copy where something may be mounted already: that then covers the copy. */
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
    for (Mount receiver : Spread.receivers(target.mount())) {
      if (Spread.reaches(receiver, target.node())) {
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

  /** Takes a mount away if it is not in use, here and where it was shared to. */
  void unmount(Mount mount) {
    checkIsNotRoot(mount);
    if (!mount.children.isEmpty() || !mount.held.isEmpty() || Spread.isUsedElsewhere(mount)) {
      throw new KernelRefusal(EBUSY);
    }
    takeAwayEverywhere(List.of(mount));
  }

  /** Takes a mount and all below it out of sight, even if they are in use. */
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
    all.addAll(Spread.goneWith(mounts));
    takeAway(all);
  }

  private void takeAway(List<Mount> gone) {
    Set<Mount> going = new LinkedHashSet<>(gone);
    for (int i = gone.size() - 1; i >= 0; i--) {
      Mount mount = gone.get(i);
      Mount parent = mount.parent;
      Node at = mount.mountpoint;
      mount.detach();
      Mount cover = mount.children.get(mount.root);
      if (cover != null && !going.contains(cover) && parent != null && at != null) {
        cover.detach();
        cover.attach(parent, at);
      }
      mount.table().remove(mount);
      copies.groups.makePrivate(mount);
      copies.release(mount);
    }
  }

  /** Gives up the server of a mount that does not answer: who waits for it gets an error. */
  void giveUp(Mount mount) {
    Filesystem filesystem = mount.filesystem;
    if (filesystem.backing != Backing.SERVER) {
      return;
    }
    filesystem.server = ServerState.DEAD;
    for (Table table : tables) {
      for (Mount each : table.all()) {
        if (each.filesystem == filesystem) {
          each.held.removeIf(Held::isBlocked);
        }
      }
    }
  }

  /** Adds flags to mounts, to all or to none. */
  void addFlags(List<Mount> mounts, Set<MountFlag> flags) {
    if (flags.contains(MountFlag.READ_ONLY)
        && mounts.stream().anyMatch(each -> each.held.stream().anyMatch(Held::isWriting))) {
      throw new KernelRefusal(EBUSY);
    }
    for (Mount mount : mounts) {
      Flags.add(mount.flags, flags);
      Table table = mount.table;
      if (table != null) {
        table.touch(mount);
      }
    }
  }

  void hold(Mount mount, Held held) {
    mount.held.add(held);
  }

  void letGo(Mount mount, Held held) {
    if (mount.held.remove(held)) {
      copies.release(mount);
    }
  }

  /**
   * Removes a node that is mounted nowhere in this namespace; mounts on it elsewhere go with it.
   */
  void remove(Node node, Table table) {
    if (node.mounts.stream().anyMatch(mount -> mount.table == table)) {
      throw new KernelRefusal(EBUSY);
    }
    for (Mount mount : List.copyOf(node.mounts)) {
      // One of them may have gone with another.
      if (mount.table != null) {
        takeAwayEverywhere(mount.tree());
      }
    }
    node.delete();
  }
}
