package io.csi4j.testkit.mount;

import static io.csi4j.testkit.mount.KernelRefusal.EBUSY;
import static io.csi4j.testkit.mount.KernelRefusal.EEXIST;
import static io.csi4j.testkit.mount.KernelRefusal.EINVAL;
import static io.csi4j.testkit.mount.KernelRefusal.ENOENT;
import static io.csi4j.testkit.mount.KernelRefusal.ENOTEMPTY;
import static io.csi4j.testkit.mount.KernelRefusal.EROFS;
import static io.csi4j.testkit.mount.KernelRefusal.EXDEV;

import io.csi4j.mount.model.KernelText;
import io.csi4j.mount.model.MountPath;

/** Changes to what directories hold. */
final class Contents {

  private Contents() {}

  static void checkWritable(Mount mount) {
    if (mount.isReadOnly()) {
      throw new KernelRefusal(EROFS);
    }
  }

  /** Makes something in a directory. */
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

  /** Removes one node from a directory: a directory only if it is empty. */
  static void remove(Model model, Table table, MountedFile directory, MountPath path) {
    Node node = Walker.child(directory, KernelText.ofBytes(path.name()));
    checkWritable(directory.mount());
    if (node.mounts.stream().anyMatch(mount -> mount.table == table)) {
      throw new KernelRefusal(EBUSY);
    }
    if (node.isDirectory() && !node.isEmpty()) {
      throw new KernelRefusal(ENOTEMPTY);
    }
    model.remove(node, table);
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
