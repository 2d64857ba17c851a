package io.csi4j.testkit.mount;

import io.csi4j.mount.model.MountFlag;
import java.util.EnumSet;
import java.util.Set;

/** How the flags of mounts add up. */
final class Flags {

  private Flags() {}

  /** The flags of a new mount: access times are kept roughly unless they are not kept at all. */
  static Set<MountFlag> ofNew(Set<MountFlag> asked) {
    Set<MountFlag> flags = EnumSet.of(MountFlag.RELATIME);
    add(flags, asked);
    return flags;
  }

  static Set<MountFlag> copy(Set<MountFlag> flags) {
    Set<MountFlag> copy = EnumSet.noneOf(MountFlag.class);
    copy.addAll(flags);
    return copy;
  }

  static void add(Set<MountFlag> flags, Set<MountFlag> more) {
    flags.addAll(more);
    if (more.contains(MountFlag.NOATIME)) {
      flags.remove(MountFlag.RELATIME);
    } else if (more.contains(MountFlag.RELATIME)) {
      flags.remove(MountFlag.NOATIME);
    }
  }
}
