package io.csi4j.mount.internal.change;

import io.csi4j.mount.internal.kernel.Abi;
import io.csi4j.mount.internal.kernel.Struct;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountException.Reason;
import io.csi4j.mount.model.MountFlag;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** The flags of a mount: as option words, and as bits of the two generations of system calls. */
final class FlagBits {

  private static final long ATIMES = Abi.MS_NOATIME | Abi.MS_RELATIME | Abi.MS_STRICTATIME;

  /** The option words that change the bits of {@code mount(2)}. */
  private static final Map<String, Change> WORDS = new HashMap<>();

  static {
    words("ro", "rw", Abi.MS_RDONLY);
    words("nosuid", "suid", Abi.MS_NOSUID);
    words("nodev", "dev", Abi.MS_NODEV);
    words("noexec", "exec", Abi.MS_NOEXEC);
    words("noatime", "atime", Abi.MS_NOATIME);
    words("relatime", "norelatime", Abi.MS_RELATIME);
    words("strictatime", "nostrictatime", Abi.MS_STRICTATIME);
    words("nodiratime", "diratime", Abi.MS_NODIRATIME);
    words("nosymfollow", "symfollow", Abi.MS_NOSYMFOLLOW);
    words("sync", "async", Abi.MS_SYNCHRONOUS);
    words("lazytime", "nolazytime", Abi.MS_LAZYTIME);
    words("mand", "nomand", Abi.MS_MANDLOCK);
    words("iversion", "noiversion", Abi.MS_I_VERSION);
    words("silent", "loud", Abi.MS_SILENT);
    WORDS.put("dirsync", new Change(Abi.MS_DIRSYNC, Abi.MS_DIRSYNC));
  }

  /**
   * The effect of a word.
   *
   * @param set the bits that it sets
   * @param clear the bits that it clears first
   */
  private record Change(long set, long clear) {}

  private FlagBits() {}

  /** Adds the words that set and clear a bit; at most one of the access time flags can be set. */
  private static void words(String set, String clear, long bit) {
    WORDS.put(set, new Change(bit, (bit & ATIMES) == 0 ? bit : ATIMES));
    WORDS.put(clear, new Change(0, bit));
  }

  /** Returns whether an option is the word of a flag. */
  static boolean isFlag(String option) {
    return WORDS.containsKey(option);
  }

  /** Returns the bits after this flag's word. */
  static long apply(String option, long bits) {
    Change change = WORDS.getOrDefault(option, new Change(0, 0));
    return (bits & ~change.clear) | change.set;
  }

  /**
   * Refuses flags that exclude each other.
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
   * Returns the flags of a mount after adding some. Access time flags exclude each other, so an
   * added one replaces the present one.
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

  /** Returns the {@code struct mount_attr} that adds flags and leaves all others unchanged. */
  static byte[] adding(Collection<MountFlag> flags) {
    long set = 0;
    long clear = 0;
    for (MountFlag flag : flags) {
      set |= Abi.attribute(flag);
      if (flag == MountFlag.NOATIME || flag == MountFlag.RELATIME) {
        clear = Abi.MOUNT_ATTR_ATIME;
      }
    }
    byte[] attr = new byte[Abi.MOUNT_ATTR_SIZE];
    Struct.u64(attr, Abi.MOUNT_ATTR_AT_SET, set);
    Struct.u64(attr, Abi.MOUNT_ATTR_AT_CLEAR, clear);
    return attr;
  }

  /** Returns all flags of a mount for {@code mount(2)}, which drops flags that are not passed. */
  static long exactly(Collection<MountFlag> flags) {
    long bits = 0;
    for (MountFlag flag : flags) {
      bits |= apply(flag.word(), 0);
    }
    return (bits & (Abi.MS_NOATIME | Abi.MS_RELATIME)) == 0 ? bits | Abi.MS_STRICTATIME : bits;
  }

  /** Returns the flags of a mount that was made with these bits of {@code mount(2)}. */
  static Set<MountFlag> flags(long bits) {
    Set<MountFlag> flags = EnumSet.noneOf(MountFlag.class);
    for (MountFlag flag : MountFlag.values()) {
      if ((bits & apply(flag.word(), 0)) != 0) {
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
