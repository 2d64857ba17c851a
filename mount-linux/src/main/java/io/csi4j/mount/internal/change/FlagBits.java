package io.csi4j.mount.internal.change;

import static java.util.Map.entry;

import io.csi4j.mount.internal.kernel.Abi;
import io.csi4j.mount.internal.kernel.Struct;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountException.Reason;
import io.csi4j.mount.model.MountFlag;
import java.util.Collection;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;

/**
 * The flags of a mount: as options have their words, and as the two generations of system calls
 * have their bits.
 */
final class FlagBits {

  private static final int SIZE_OF_MOUNT_ATTR = 32;
  private static final long ATIMES = Abi.MS_NOATIME | Abi.MS_RELATIME | Abi.MS_STRICTATIME;
  private static final long MS_I_VERSION = 1 << 23;

  /** The words of options that change the bits of {@code mount(2)}. */
  private static final Map<String, Change> WORDS =
      Map.ofEntries(
          entry("ro", set(Abi.MS_RDONLY)),
          entry("rw", clear(Abi.MS_RDONLY)),
          entry("nosuid", set(Abi.MS_NOSUID)),
          entry("suid", clear(Abi.MS_NOSUID)),
          entry("nodev", set(Abi.MS_NODEV)),
          entry("dev", clear(Abi.MS_NODEV)),
          entry("noexec", set(Abi.MS_NOEXEC)),
          entry("exec", clear(Abi.MS_NOEXEC)),
          entry("noatime", new Change(Abi.MS_NOATIME, ATIMES)),
          entry("atime", clear(Abi.MS_NOATIME)),
          entry("relatime", new Change(Abi.MS_RELATIME, ATIMES)),
          entry("norelatime", clear(Abi.MS_RELATIME)),
          entry("strictatime", new Change(Abi.MS_STRICTATIME, ATIMES)),
          entry("nostrictatime", clear(Abi.MS_STRICTATIME)),
          entry("nodiratime", set(Abi.MS_NODIRATIME)),
          entry("diratime", clear(Abi.MS_NODIRATIME)),
          entry("nosymfollow", set(Abi.MS_NOSYMFOLLOW)),
          entry("symfollow", clear(Abi.MS_NOSYMFOLLOW)),
          entry("sync", set(Abi.MS_SYNCHRONOUS)),
          entry("async", clear(Abi.MS_SYNCHRONOUS)),
          entry("dirsync", set(Abi.MS_DIRSYNC)),
          entry("lazytime", set(Abi.MS_LAZYTIME)),
          entry("nolazytime", clear(Abi.MS_LAZYTIME)),
          entry("mand", set(Abi.MS_MANDLOCK)),
          entry("nomand", clear(Abi.MS_MANDLOCK)),
          entry("iversion", set(MS_I_VERSION)),
          entry("noiversion", clear(MS_I_VERSION)),
          entry("silent", set(Abi.MS_SILENT)),
          entry("loud", clear(Abi.MS_SILENT)));

  /**
   * The change of a word.
   *
   * @param set the bits that it sets
   * @param clear the bits that it clears first
   */
  private record Change(long set, long clear) {}

  private FlagBits() {}

  private static Change set(long bit) {
    return new Change(bit, bit);
  }

  private static Change clear(long bit) {
    return new Change(0, bit);
  }

  /** Whether an option is the word of a flag. */
  static boolean isFlag(String option) {
    return WORDS.containsKey(option);
  }

  /** The bits after this flag's word. */
  static long apply(String option, long bits) {
    Change change = WORDS.getOrDefault(option, new Change(0, 0));
    return (bits & ~change.clear) | change.set;
  }

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
      set |= Abi.attribute(flag);
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
      bits |= apply(flag.word(), 0);
    }
    return (bits & (Abi.MS_NOATIME | Abi.MS_RELATIME)) == 0 ? bits | Abi.MS_STRICTATIME : bits;
  }

  /** The flags that a mount has which was made with these bits of {@code mount(2)}. */
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
