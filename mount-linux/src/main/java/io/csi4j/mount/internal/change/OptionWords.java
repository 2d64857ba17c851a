package io.csi4j.mount.internal.change;

import static java.util.Map.entry;

import io.csi4j.mount.internal.kernel.Abi;
import java.util.Map;
import java.util.Set;

/** The options that are not the filesystem's own: flags, and words for user space. */
final class OptionWords {

  private static final long ATIMES = Abi.MS_NOATIME | Abi.MS_RELATIME | Abi.MS_STRICTATIME;
  private static final long MS_I_VERSION = 1 << 23;

  private static final Map<String, Change> FLAGS =
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

  private static final Set<String> FOR_USER_SPACE =
      Set.of(
          "defaults",
          "auto",
          "noauto",
          "user",
          "nouser",
          "users",
          "nousers",
          "owner",
          "noowner",
          "group",
          "nogroup",
          "nofail",
          "_netdev");

  /** Other operations than to mount. */
  private static final Set<String> OPERATIONS =
      Set.of(
          "remount",
          "bind",
          "rbind",
          "move",
          "private",
          "rprivate",
          "slave",
          "rslave",
          "shared",
          "rshared",
          "unbindable",
          "runbindable");

  /**
   * The change of a word to the bits of {@code mount(2)}.
   *
   * @param set the bits that it sets
   * @param clear the bits that it clears first
   */
  private record Change(long set, long clear) {}

  private OptionWords() {}

  static boolean isFlag(String option) {
    return FLAGS.containsKey(option);
  }

  /** The bits after this flag's word. */
  static long apply(String option, long bits) {
    Change change = FLAGS.getOrDefault(option, new Change(0, 0));
    return (bits & ~change.clear) | change.set;
  }

  static boolean isForUserSpace(String option) {
    return FOR_USER_SPACE.contains(option)
        || option.startsWith("x-")
        || option.startsWith("X-")
        || option.startsWith("comment=");
  }

  static boolean isOperation(String option) {
    return OPERATIONS.contains(option);
  }

  private static Change set(long bit) {
    return new Change(bit, bit);
  }

  private static Change clear(long bit) {
    return new Change(0, bit);
  }
}
