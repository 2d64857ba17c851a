package io.csi4j.testkit.mount;

import io.csi4j.mount.model.Holder;
import io.csi4j.mount.model.Holders;
import io.csi4j.mount.model.KernelText;
import io.csi4j.mount.model.MountRecord;
import io.csi4j.mount.model.MountRef;
import io.csi4j.mount.model.Propagation;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Creates the records of a namespace's mounts. */
final class Records {

  private Records() {}

  static MountRef ref(Mount mount, String bootId) {
    return new MountRef(mount.path(), bootId, new MountRef.Identity.Unique(mount.uniqueId));
  }

  static MountRecord record(Mount mount, String bootId) {
    Mount parent = Objects.requireNonNullElse(mount.parent, mount);
    return new MountRecord(
        ref(mount, bootId),
        mount.id,
        parent.id,
        OptionalLong.of(parent.uniqueId),
        mount.filesystem.device,
        mount.root.root(mount.filesystem.root),
        mount.flags,
        tags(mount),
        mount.filesystem.type,
        mount.source,
        options(mount.filesystem));
  }

  private static List<KernelText> options(Filesystem filesystem) {
    List<KernelText> options = new ArrayList<>();
    options.add(KernelText.of(filesystem.readOnly ? "ro" : "rw"));
    options.addAll(filesystem.options);
    return options;
  }

  private static Propagation.Tags tags(Mount mount) {
    return new Propagation.Tags(
        number(mount.peers), number(mount.master), mount.unbindable, List.of());
  }

  /**
   * Returns the nearest group above that has a member in the same namespace, if it is not the
   * master.
   */
  static OptionalInt propagateFrom(Mount mount) {
    PeerGroup group = mount.master;
    Table table = mount.table;
    for (boolean nearest = true; group != null; nearest = false) {
      Mount above = null;
      for (Mount member : group.members) {
        if (member.table == table) {
          return nearest ? OptionalInt.empty() : OptionalInt.of(group.id);
        }
        above = member;
      }
      group = above == null ? null : above.master;
    }
    return OptionalInt.empty();
  }

  private static OptionalInt number(@Nullable PeerGroup group) {
    return group == null ? OptionalInt.empty() : OptionalInt.of(group.id);
  }

  private static final KernelText COMMAND = KernelText.of("memory");

  /**
   * Returns the holders of a mount: processes first, then mounts on it, then mounts of its
   * filesystem in this namespace, then those in others.
   */
  static Holders holders(Mount mount, Model model, String bootId) {
    List<Holder> found = new ArrayList<>();
    for (OpenHandle held : mount.held) {
      found.add(new Holder.RunningProcess(held.pid(), COMMAND, Set.of(Holder.Use.OPEN_FILE)));
    }
    for (Mount child : mount.children.values()) {
      found.add(new Holder.Child(record(child, bootId)));
    }
    for (Mount other : mount.table().all()) {
      if (other != mount && other.filesystem == mount.filesystem) {
        found.add(new Holder.Sibling(record(other, bootId)));
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
