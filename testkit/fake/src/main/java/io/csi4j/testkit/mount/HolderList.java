package io.csi4j.testkit.mount;

import io.csi4j.mount.model.Holder;
import io.csi4j.mount.model.Holders;
import io.csi4j.mount.model.KernelText;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The holders of a mount. */
final class HolderList {

  private static final KernelText COMMAND = KernelText.of("memory");

  private HolderList() {}

  /** Processes first, then mounts on it, mounts of its filesystem here, and those elsewhere. */
  static Holders of(Mount mount, Model model, String bootId) {
    List<Holder> found = new ArrayList<>();
    for (Held held : mount.held) {
      found.add(new Holder.RunningProcess(held.pid(), COMMAND, Set.of(Holder.Use.OPEN_FILE)));
    }
    for (Mount child : mount.children.values()) {
      found.add(new Holder.Child(Records.record(child, bootId)));
    }
    for (Mount other : mount.table().all()) {
      if (other != mount && other.filesystem == mount.filesystem) {
        found.add(new Holder.Sibling(Records.record(other, bootId)));
      }
    }
    for (Table table : model.tables()) {
      if (table != mount.table) {
        for (Mount other : table.all()) {
          if (other.filesystem == mount.filesystem) {
            found.add(new Holder.Elsewhere(table.number, table.pid, COMMAND, other.path()));
          }
        }
      }
    }
    return new Holders(found, 0, true);
  }
}
