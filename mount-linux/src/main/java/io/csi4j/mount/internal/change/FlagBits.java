package io.csi4j.mount.internal.change;

import io.csi4j.mount.internal.kernel.Abi;
import io.csi4j.mount.internal.kernel.Struct;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountException.Reason;
import io.csi4j.mount.model.MountFlag;
import java.util.Collection;
import java.util.EnumSet;
import java.util.Set;

/** The flags of a mount as the two generations of system calls have them. */
final class FlagBits {

  private static final int SIZE_OF_MOUNT_ATTR = 32;

  private FlagBits() {}

  /**
   * Refuses flags of which a mount can have one only.
   *
   * @throws MountException with {@link Reason#BAD_OPTIONS}
   */
  static void check(String doing, Collection<MountFlag> flags) {
    if (flags.contains(MountFlag.NOATIME) && flags.contains(MountFlag.RELATIME)) {
      throw MountException.builder(
              Reason.BAD_OPTIONS,
              doing
                  + " was refused: noatime and relatime contradict each other. Ask for one of"
                  + " them.")
          .build();
    }
  }

  /**
   * Returns the flags of a mount after some are added. Those for access times exclude each other,
   * so the added one replaces.
   */
  static Set<MountFlag> sum(Collection<MountFlag> there, Collection<MountFlag> added) {
    Set<MountFlag> sum = EnumSet.noneOf(MountFlag.class);
    sum.addAll(there);
    if (added.contains(MountFlag.NOATIME)) {
      sum.remove(MountFlag.RELATIME);
    }
    if (added.contains(MountFlag.RELATIME)) {
      sum.remove(MountFlag.NOATIME);
    }
    sum.addAll(added);
    return sum;
  }

  /** The {@code struct mount_attr} that adds flags and leaves all others as they are. */
  static byte[] adding(Collection<MountFlag> flags) {
    long set = 0;
    long clear = 0;
    for (MountFlag flag : flags) {
      set |=
          switch (flag) {
            case READ_ONLY -> Abi.MOUNT_ATTR_RDONLY;
            case NOSUID -> Abi.MOUNT_ATTR_NOSUID;
            case NODEV -> Abi.MOUNT_ATTR_NODEV;
            case NOEXEC -> Abi.MOUNT_ATTR_NOEXEC;
            case NOATIME -> Abi.MOUNT_ATTR_NOATIME;
            case NODIRATIME -> Abi.MOUNT_ATTR_NODIRATIME;
            case RELATIME -> 0;
            case NOSYMFOLLOW -> Abi.MOUNT_ATTR_NOSYMFOLLOW;
          };
      if (flag == MountFlag.NOATIME || flag == MountFlag.RELATIME) {
        clear = Abi.MOUNT_ATTR_ATIME;
      }
    }
    byte[] attr = new byte[SIZE_OF_MOUNT_ATTR];
    Struct.u64(attr, 0, set);
    Struct.u64(attr, 8, clear);
    return attr;
  }

  /** All flags of a mount for {@code mount(2)}, which drops those that are not passed. */
  static long exactly(Collection<MountFlag> flags) {
    long bits = 0;
    for (MountFlag flag : flags) {
      bits |= bit(flag);
    }
    return (bits & (Abi.MS_NOATIME | Abi.MS_RELATIME)) == 0 ? bits | Abi.MS_STRICTATIME : bits;
  }

  /** The flag's bit of {@code mount(2)}. */
  static long bit(MountFlag flag) {
    return switch (flag) {
      case READ_ONLY -> Abi.MS_RDONLY;
      case NOSUID -> Abi.MS_NOSUID;
      case NODEV -> Abi.MS_NODEV;
      case NOEXEC -> Abi.MS_NOEXEC;
      case NOATIME -> Abi.MS_NOATIME;
      case NODIRATIME -> Abi.MS_NODIRATIME;
      case RELATIME -> Abi.MS_RELATIME;
      case NOSYMFOLLOW -> Abi.MS_NOSYMFOLLOW;
    };
  }

  /** The flags that a mount has which was made with these bits of {@code mount(2)}. */
  static Set<MountFlag> flags(long bits) {
    Set<MountFlag> flags = EnumSet.noneOf(MountFlag.class);
    for (MountFlag flag : MountFlag.values()) {
      if ((bits & bit(flag)) != 0) {
        flags.add(flag);
      }
    }
    if ((bits & (Abi.MS_NOATIME | Abi.MS_STRICTATIME)) == 0) {
      flags.add(MountFlag.RELATIME);
    } else {
      flags.remove(MountFlag.RELATIME);
    }
    return flags;
  }
}
